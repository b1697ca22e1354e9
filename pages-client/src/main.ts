// Draws the charts of a page into its figures, and lists its programs. Without it, a page still has every figure's table.
import { draw } from "./charts.js";
import type { Chart, PageData } from "./data.js";
import { showFailures } from "./failures.js";
import { ORDERS } from "./heat.js";
import { enhance } from "./tables.js";

const PRINTED_WIDTH = 680;
const NARROWEST = 300;

function start(): void {
  for (const table of document.querySelectorAll("table")) enhance(table);
  const held = document.getElementById("page-data");
  if (held === null) return;
  const data = JSON.parse(held.textContent) as PageData;
  const place = document.getElementById("failures");
  const showTask = place === null || data.failures.length === 0 ? undefined : showFailures(place, data.failures);
  for (const link of document.querySelectorAll<HTMLElement>("[data-task]"))
    link.addEventListener("click", () => showTask?.(link.dataset["task"] ?? ""));
  const redraws = Object.entries(data.charts).map(([id, chart]) => mount(id, chart, (name) => showTask?.(name)));
  window.addEventListener("beforeprint", () => {
    for (const redraw of redraws) redraw(PRINTED_WIDTH);
  });
  window.addEventListener("afterprint", () => {
    for (const redraw of redraws) redraw();
  });
}

/** Draw a chart into its figure, now and whenever the figure's width changes. */
function mount(id: string, chart: Chart, pick: (name: string) => void): (width?: number) => void {
  const figure = document.getElementById(id);
  if (figure === null) return () => undefined;
  const canvas = document.createElement("div");
  canvas.className = "canvas";
  const pointed = document.createElement("output");
  const tell = (text: string): void => {
    pointed.textContent = text;
  };
  let order: string = "score";
  let drawn = 0;
  const redraw = (width = Math.max(NARROWEST, Math.floor(figure.clientWidth))): void => {
    drawn = width;
    const picture = draw(chart, width, order, { pick, tell });
    // One picture with one name: what its parts are called says nothing to who cannot see them.
    for (const part of picture.querySelectorAll("[aria-label], [aria-description]")) {
      part.removeAttribute("aria-label");
      part.removeAttribute("aria-description");
    }
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", figure.dataset["label"] ?? "");
    canvas.replaceChildren(picture);
  };
  if (chart.kind === "heat") {
    const choose = chooser((chosen) => {
      order = chosen;
      redraw();
    });
    figure.append(choose, pointed);
  }
  figure.append(canvas);
  // Only what is near the screen is drawn at once: a page of many runs has many charts.
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    redraw();
    new ResizeObserver(() => {
      if (Math.max(NARROWEST, Math.floor(figure.clientWidth)) !== drawn) redraw();
    }).observe(figure);
  }, { rootMargin: "600px" });
  observer.observe(figure);
  return redraw;
}

function chooser(choose: (order: string) => void): HTMLElement {
  const label = document.createElement("label");
  label.textContent = "Rows and columns ";
  const select = document.createElement("select");
  for (const [value, text] of Object.entries(ORDERS)) select.append(new Option(text, value));
  select.addEventListener("change", () => {
    choose(select.value);
  });
  label.append(select);
  return label;
}

start();
