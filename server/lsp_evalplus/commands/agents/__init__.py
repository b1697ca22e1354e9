"""Coding agents: the tools of the MCP server, its entry in an agent's configuration, and the hook after edits."""
