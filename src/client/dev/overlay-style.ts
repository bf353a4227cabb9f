/** The stylesheet of the overlay. The styles of the page have no effect inside the shadow root. */
export const STYLE = `
:host {
  all: initial !important;
  display: block !important;
  --surface: #ffffff;
  --code: #f5f6f6;
  --ink: #16191b;
  --muted: #565e63;
  --line: #d5dad9;
  --accent: #a81d17;
  --mark: #fbe3e0;
  --good: #14563f;
  --good-mark: #e0f3ea;
  --link: #1d4f8c;
}
@media (prefers-color-scheme: dark) {
  :host {
    --surface: #1a1e20;
    --code: #121516;
    --ink: #e8ebea;
    --muted: #a9b2b5;
    --line: #3a4245;
    --accent: #ff8577;
    --mark: #43201d;
    --good: #86d0b4;
    --good-mark: #16352a;
    --link: #8fbdf5;
  }
}
*, *::before { box-sizing: border-box; }
dialog, .opener { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); }
[hidden] { display: none !important; }
dialog {
  flex-direction: column;
  width: min(60rem, calc(100vw - 2rem));
  max-width: none;
  max-height: calc(100dvh - 3rem);
  margin: 1.5rem auto auto;
  padding: 0;
  border: 1px solid var(--line);
  border-top: 4px solid var(--accent);
  border-radius: 8px;
  background: var(--surface);
  box-shadow: 0 12px 48px rgb(0 0 0 / 0.35);
  overflow: hidden;
}
dialog[open] { display: flex; }
dialog::backdrop { background: rgb(10 12 13 / 0.55); }
dialog.page { position: static; max-height: none; margin: 1.5rem auto; box-shadow: none; }
header {
  display: flex;
  align-items: center;
  gap: 0.75rem;
  padding: 0.6rem 0.6rem 0.6rem 1.25rem;
  border-bottom: 1px solid var(--line);
}
.kinds { flex: 1; min-width: 0; }
.kind { display: flex; flex-wrap: wrap; gap: 0 0.75rem; margin: 0; color: var(--accent); font-weight: 600; }
.kind code { color: var(--muted); font-weight: 400; }
.pager { display: flex; align-items: center; gap: 0.35rem; }
.count { min-width: 3.5rem; text-align: center; color: var(--muted); font-variant-numeric: tabular-nums; }
button {
  min-width: 2rem;
  min-height: 2rem;
  padding: 0 0.5rem;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: none;
  color: inherit;
  font: inherit;
  cursor: pointer;
}
button:hover { background: var(--code); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
dialog:focus-visible { outline: none; }
.content { flex: 1; min-height: 0; padding: 1rem 1.25rem 1.25rem; overflow: auto; overscroll-behavior: contain; }
h1 { margin: 0; font-size: 1.2rem; line-height: 1.35; overflow-wrap: anywhere; }
h2 { margin: 1.25rem 0 0.35rem; color: var(--muted); font-size: 0.85rem; font-weight: 600; }
p { margin: 0; }
pre, code, .message, .name, .file { font-family: ui-monospace, "Cascadia Mono", "SF Mono", Menlo, Consolas, monospace; font-size: 13px; }
.message { margin-top: 0.5rem; white-space: pre-wrap; overflow-wrap: anywhere; color: var(--accent); font-size: 14px; }
.fix { margin-top: 0.5rem; }
.frame { margin-top: 1rem; }
.place { margin-bottom: 0.35rem; }
pre {
  margin: 0;
  padding: 0.6rem 0;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: var(--code);
  line-height: 1.6;
  tab-size: 2;
  overflow: auto;
}
.line { display: block; width: max-content; min-width: 100%; padding: 0 0.9rem; }
.margin { color: var(--muted); user-select: none; }
.marked, .line.server { background: var(--mark); }
.marked .margin, .caret, .server, .line.server .margin { color: var(--accent); }
.line.browser { background: var(--good-mark); }
.browser, .line.browser .margin { color: var(--good); }
.caret { font-weight: 700; }
.legend { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin-bottom: 0.35rem; font-size: 0.9rem; }
.stack { margin: 0; padding: 0; list-style: none; }
.stack li { display: flex; flex-wrap: wrap; align-items: center; gap: 0 0.75rem; }
.name, .file { overflow-wrap: anywhere; }
.file { color: var(--muted); }
button.link {
  min-width: 0;
  min-height: 1.5rem;
  padding: 0;
  border: 0;
  border-radius: 2px;
  color: var(--link);
  text-align: start;
  text-decoration: underline;
  text-underline-offset: 0.2em;
}
button.link:hover { background: none; text-decoration-thickness: 2px; }
summary { margin-top: 0.25rem; color: var(--muted); font-size: 0.9rem; cursor: pointer; }
dl { display: flex; flex-wrap: wrap; gap: 0.15rem 1.5rem; margin: 0.75rem 0 0; font-size: 0.9rem; }
dl div { display: flex; flex-wrap: wrap; gap: 0 0.5rem; }
dt { color: var(--muted); }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.note { padding: 0.6rem 1.25rem; border-top: 1px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; }
.note:empty { display: none; }
.opener {
  position: fixed;
  z-index: 2147483647;
  bottom: 1rem;
  left: 1rem;
  padding: 0.35rem 0.9rem;
  border: 1px solid var(--accent);
  border-radius: 99px;
  background: var(--surface);
  color: var(--accent);
  font-weight: 600;
  box-shadow: 0 2px 10px rgb(0 0 0 / 0.25);
}
.opener:hover { background: var(--mark); }
@media (max-width: 40rem) {
  dialog { width: calc(100vw - 1rem); max-height: calc(100dvh - 1rem); margin-top: 0.5rem; }
  dialog.page { margin: 0.5rem auto; }
  header { padding-left: 0.9rem; gap: 0.4rem; }
  .content { padding: 0.8rem 0.9rem 1rem; }
  .count { min-width: 0; }
}
@media (prefers-reduced-motion: no-preference) {
  dialog.over[open] { animation: appear 120ms ease-out; }
  @keyframes appear { from { opacity: 0; transform: translateY(-4px); } }
}
`
