// Shows how long the pages of a tab took: a button with the last time, and a panel with the steps of each request.

import { base } from '../../shared/base.ts'
import { type DevPlace, type StreamedTimes, TIMES_EVENT } from '../../shared/wire/dev-protocol.ts'
import type { ServerMetric } from '../../shared/wire/navigation-protocol.ts'
import { createHost, openInEditor } from './overlay.ts'
import { button, element, type Open, placeLink } from './overlay-parts.ts'
import { STYLE } from './overlay-style.ts'
import { formatMs, formatSize, isNavigation, type RequestRow, type StepRow, TIMES_KEY, toRow } from './request-rows.ts'

/** Adds the button to the page. */
export function showTimes() {
  const panel = createTimesPanel()
  /** The times that came at the end of a stream, by the URL of their request. */
  const streamed = new Map<string, readonly ServerMetric[]>()

  function add(entry: PerformanceResourceTiming) {
    // Missing in browsers without `Server-Timing`, and outside of secure contexts.
    const metrics = streamed.get(entry.name) ?? toPlain(entry.serverTiming ?? [])
    streamed.delete(entry.name)
    const row = toRow(entry, metrics)
    if (row) panel.add(row)
  }

  addEventListener(TIMES_EVENT, (event) => {
    // Dispatched by the reader of navigations.
    const { url, metrics } = (event as CustomEvent<StreamedTimes>).detail
    streamed.set(url, metrics)
  })
  const documents = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  for (const entry of documents) add(entry)
  new PerformanceObserver((list) => {
    const entries = list.getEntries() as PerformanceResourceTiming[]
    for (const entry of entries) if (isNavigation(entry.name)) add(entry)
  }).observe({ type: 'resource', buffered: true })
}

function toPlain(metrics: readonly PerformanceServerTiming[]): ServerMetric[] {
  return metrics.map(({ name, duration, description }) => ({ name, duration, description }))
}

const MAX_ROWS = 10

function createTimesPanel() {
  let rows = readRows()
  const note = element('p', { class: 'note', role: 'status' })
  const list = element('ol', {})
  const problem = element('p', { class: 'problem' }, explainMissing())
  const opener = button(
    { class: 'times', 'aria-expanded': 'false', 'aria-controls': 'requests' },
    toggle,
    'Times of requests',
  )
  const panel = element(
    'section',
    { id: 'requests', 'aria-labelledby': 'heading', hidden: true },
    element(
      'header',
      {},
      element('h2', { id: 'heading' }, 'Requests of this tab'),
      button({}, hide, 'Hide the button'),
      button({ 'aria-label': 'Close' }, toggle, '✕'),
    ),
    element('div', { class: 'content' }, problem, list),
    note,
  )
  const host = createHost('hydrant-times', STYLE + TIMES_STYLE)
  host.root.append(opener, panel)
  for (const part of [opener, panel])
    part.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || panel.hidden) return
      // The page closes nothing of its own.
      event.stopPropagation()
      toggle()
    })
  list.append(...rows.map((row) => showRow(row, open, false)))

  function toggle() {
    panel.hidden = !panel.hidden
    opener.setAttribute('aria-expanded', String(!panel.hidden))
    if (panel.hidden) opener.focus()
  }

  function hide() {
    host.remove()
    try {
      localStorage.setItem(TIMES_KEY, 'hidden')
    } catch {
      // The browser does not allow storage. The next page has the button again.
    }
    console.info(`To see the times of requests again: localStorage.removeItem('${TIMES_KEY}')`)
  }

  async function open(place: DevPlace) {
    note.textContent = 'Opening the editor…'
    note.textContent = await openInEditor(base, place)
  }

  return {
    /** Adds a request above the others. */
    add(row: RequestRow) {
      rows = [row, ...rows].slice(0, MAX_ROWS)
      writeRows(rows)
      // Elsewhere, only streams have told their times.
      problem.hidden = isSecureContext
      opener.textContent = formatMs(row.totalMs)
      opener.setAttribute('aria-label', `${formatMs(row.totalMs)}: times of requests`)
      list.querySelector('details[open]')?.removeAttribute('open')
      list.prepend(showRow(row, (place) => void open(place), true))
      while (list.children.length > MAX_ROWS) list.lastElementChild?.remove()
    },
  }
}

/** Says why the browser has no times. */
function explainMissing(): string {
  return isSecureContext
    ? 'The response has no times: the browser does not know the header Server-Timing, or the site does not send it.'
    : 'Browsers tell pages their times only at localhost and with HTTPS.'
}

function showRow({ kind, path, route, totalMs, receivedMs, cache, steps }: RequestRow, open: Open, isOpen: boolean) {
  const facts = [
    ...(path === route ? [] : [['Route', route]]),
    ...(cache === null ? [] : [['Cache', cache]]),
    ['In the browser', `complete after ${formatMs(receivedMs)}`],
  ]
  return element(
    'li',
    {},
    element(
      'details',
      { open: isOpen },
      element(
        'summary',
        {},
        element('span', { class: 'total' }, formatMs(totalMs)),
        ' ',
        element('span', { class: 'path' }, path),
        ' ',
        element('span', { class: 'request' }, kind),
      ),
      element(
        'dl',
        {},
        ...facts.map(([name = '', value = '']) =>
          element('div', {}, element('dt', {}, name), element('dd', {}, value)),
        ),
      ),
      steps.length === 0 ? null : showSteps(path, steps, open),
    ),
  )
}

function showSteps(path: string, steps: readonly StepRow[], open: Open): HTMLElement {
  const longestMs = Math.max(...steps.map(({ durationMs }) => durationMs))
  const header = (text: string) => element('th', { scope: 'col' }, text)
  return element(
    'table',
    { 'aria-label': `Steps of ${path}` },
    element('thead', {}, element('tr', {}, header('Step'), header('Time'), header('Size'))),
    element('tbody', {}, ...steps.map((step) => showStep(step, longestMs, open))),
  )
}

function showStep({ kind, name, isInner, place, durationMs, characters }: StepRow, longestMs: number, open: Open) {
  const bar = element('div', { class: 'bar' })
  // The policy of the page may forbid an attribute `style`.
  bar.style.inlineSize = `${(100 * durationMs) / longestMs}%`
  return element(
    'tr',
    {},
    element(
      'th',
      { scope: 'row', class: isInner ? 'inner' : false },
      `${kind} `,
      place ? placeLink(place, open) : element('span', { class: 'name' }, name),
    ),
    element('td', {}, formatMs(durationMs), bar),
    element('td', {}, characters === 0 ? '' : formatSize(characters)),
  )
}

// The requests of earlier documents of the tab.

const ROWS_KEY = 'hydrant-requests'

function readRows(): RequestRow[] {
  try {
    // Written below.
    return JSON.parse(sessionStorage.getItem(ROWS_KEY) ?? '[]') as RequestRow[]
  } catch {
    // The browser does not allow storage.
    return []
  }
}

function writeRows(rows: readonly RequestRow[]) {
  try {
    sessionStorage.setItem(ROWS_KEY, JSON.stringify(rows))
  } catch {
    // The browser does not allow storage. The next document begins with an empty list.
  }
}

const TIMES_STYLE = `
:host { position: fixed !important; }
@media print { :host { display: none !important; } }
.times, section { color-scheme: light dark; position: fixed; z-index: 2147483646; right: 1rem; font: 14px/1.45 system-ui, sans-serif; color: var(--ink); }
.times {
  bottom: 0.75rem;
  min-height: 1.75rem;
  border-radius: 99px;
  background: var(--surface);
  color: var(--muted);
  font-size: 12px;
  font-variant-numeric: tabular-nums;
  box-shadow: 0 1px 4px rgb(0 0 0 / 0.2);
}
.times:hover { color: var(--ink); }
section {
  display: flex;
  flex-direction: column;
  bottom: 3rem;
  width: min(34rem, calc(100vw - 2rem));
  max-height: min(36rem, calc(100dvh - 4rem));
  border: 1px solid var(--line);
  border-radius: 8px;
  background: var(--surface);
  box-shadow: 0 6px 24px rgb(0 0 0 / 0.25);
  overflow: hidden;
}
section h2 { flex: 1; margin: 0; color: inherit; font-size: inherit; }
section header { padding-left: 1rem; gap: 0.4rem; }
section .content { padding: 0.25rem 1rem 0.75rem; }
.problem { padding: 0.5rem 0; }
ol { margin: 0; padding: 0; list-style: none; }
li + li { border-top: 1px solid var(--line); }
summary { margin: 0; padding: 0.4rem 0; color: inherit; font-size: inherit; overflow-wrap: anywhere; }
.total { display: inline-block; min-width: 4.2rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.request, section .note { color: var(--muted); }
section dl { margin: 0 0 0.4rem; }
table { width: 100%; margin-bottom: 0.75rem; border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0; text-align: start; vertical-align: baseline; font-weight: 400; overflow-wrap: anywhere; }
thead th { color: var(--muted); }
.inner { padding-inline-start: 1rem; }
th + th, td { padding-inline-start: 0.75rem; white-space: nowrap; }
td:nth-child(2) { width: 5.5rem; }
tr > :last-child { width: 4.75rem; text-align: end; }
.bar { height: 3px; min-width: 1px; border-radius: 2px; background: var(--link); }
`
