"""Queries of SQLAlchemy by a session, a connection or an engine, whose database has objects of the mapped classes."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
from __future__ import annotations

from sqlalchemy import Connection, Engine, ForeignKey, String, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship


class Base(DeclarativeBase):
    pass


class User(Base):
    __tablename__ = "users"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(30))
    email: Mapped[str | None]
    active: Mapped[bool] = mapped_column(default=True)
    posts: Mapped[list[Post]] = relationship(back_populates="author")

    def shown(self) -> str:
        return self.name if not self.email else f"{self.name} <{self.email}>"


class Post(Base):
    __tablename__ = "posts"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    author_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    author: Mapped[User] = relationship(back_populates="posts")


def active_users(session: Session, text: str) -> list[User]:
    query = select(User).where(User.name.ilike(f"%{text}%")).where(User.active.is_(True))
    return list(session.scalars(query.order_by(User.name)))


def posts_per_user(session: Session) -> dict[str, int]:
    rows = session.execute(select(User.name, func.count(Post.id)).join(Post).group_by(User.name))
    return {name: count for name, count in rows}


def rename(session: Session, user_id: int, name: str) -> bool:
    user = session.get(User, user_id)
    if user is None:
        return False
    user.name = name
    session.commit()
    return True


async def follow(session: AsyncSession, user_id: int, title: str) -> int:
    user = await session.get(User, user_id)
    if user is None or not user.active:
        return 0
    session.add(Post(title=title, author_id=user.id))
    await session.commit()
    return user.id


def leave(engine: Engine, email: str) -> int:
    with engine.begin() as connection:
        return connection.execute(update(User).where(User.email == email).values(active=False)).rowcount


def emails(connection: Connection) -> list[str]:
    return [row.email for row in connection.execute(select(User.email).distinct().order_by(User.email))]


def titles(user: User) -> list[str]:
    return [post.title for post in user.posts if post.title]
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("active_users", "User.active.is_(True)", "User.active.is_(False)"),
        ("active_users", "order_by(User.name)", "order_by(User.id)"),
        ("posts_per_user", ".join(Post)", ".outerjoin(Post)"),
        ("rename", "return False", "return True"),
        ("rename", "user.name = name\n    session.commit()", "user.name = name"),
        ("follow", "not user.active", "user.active"),
        ("follow", "await session.commit()", "session.commit()"),
        ("leave", "User.email == email", "User.name == email"),
        ("leave", "engine.begin()", "engine.connect()"),
        ("emails", ".distinct()", ""),
        ("titles", "post.title for", "post.title.upper() for"),
        ("User.shown", "if not self.email", "if self.email"),
    ],
)
def test_queries(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new, calls=600)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize("name", ["active_users", "rename", "follow", "leave", "emails", "titles"])
@pytest.mark.slow(calls=200)
def test_the_same_queries(judge: Any, name: str) -> None:
    newer = SOURCE.replace('f"%{text}%"', '"%" + text + "%"').replace("user.name = name", "setattr(user, 'name', name)")
    newer = newer.replace(
        "[post.title for post in user.posts if post.title]", "list(filter(None, (post.title for post in user.posts)))"
    )
    newer = newer.replace("user is None or not user.active", "not (user is not None and user.active)")
    newer = newer.replace(
        "update(User).where(User.email == email)", "update(User.__table__).where(email == User.email)"
    )
    newer = newer.replace("[row.email for row in", "[email for (email,) in")
    report = judge(SOURCE, newer, name, kind="previous", calls=100)
    assert report.verdict is Verdict.AGREES, report.reason
