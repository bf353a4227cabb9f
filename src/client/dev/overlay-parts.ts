import {
  type DevCause,
  type DevDiffLine,
  type DevError,
  type DevFrame,
  type DevPlace,
  type DevStackLine,
  formatDevPlace,
} from '../../shared/wire/dev-protocol.ts'

/** Opens a place in the developer's editor. */
export type Open = (place: DevPlace) => void

/** Shows the place of an error, with its code: the line is marked, and a caret is below its column. */
export function showFrame(frame: DevFrame, stack: readonly DevStackLine[], open: Open): HTMLElement {
  const { name = '' } = stack.find(({ place }) => place?.file === frame.file && place.line === frame.line) ?? {}
  return element(
    'section',
    { class: 'frame' },
    element('p', { class: 'place' }, element('span', { class: 'name' }, name && `${name} `), placeLink(frame, open)),
    showCode(frame),
  )
}

function showCode({ code, line, column, file }: DevFrame): HTMLElement | null {
  if (!code) return null
  const digits = String(code.firstLine + code.lines.length - 1).length
  const lines = code.lines.flatMap((text, index) => {
    const number = code.firstLine + index
    const isMarked = number === line
    const margin = `${isMarked ? '>' : ' '} ${String(number).padStart(digits)} | `
    const row = codeLine(isMarked ? 'line marked' : 'line', margin, text)
    if (!isMarked || column < 1) return [row]
    const before = text.slice(0, column - 1).replace(/[^\t]/g, ' ')
    return [row, codeLine('line caret', `  ${' '.repeat(digits)} | `, `${before}^`)]
  })
  return element('pre', { tabindex: '0', role: 'region', 'aria-label': `Source of ${file}` }, ...lines)
}

function codeLine(name: string, margin: string, text: string): HTMLElement {
  return element('span', { class: name }, element('span', { class: 'margin' }, margin), `${text}\n`)
}

export function showDiff(lines: readonly DevDiffLine[]): HTMLElement {
  const signs = { both: '  ', server: '- ', browser: '+ ' }
  const rows = lines.map(({ side, text }) => codeLine(`line ${side}`, signs[side], text))
  return element(
    'section',
    {},
    element('h2', {}, 'Difference'),
    element(
      'p',
      { class: 'legend' },
      element('span', { class: 'server' }, '- sent by the server'),
      element('span', { class: 'browser' }, '+ rendered by the browser'),
    ),
    element('pre', { tabindex: '0', role: 'region', 'aria-label': 'Difference' }, ...rows),
  )
}

/** Shows the components around the place, innermost first. */
export function showComponents(components: readonly DevStackLine[], open: Open): HTMLElement | null {
  if (components.length === 0) return null
  return element('section', {}, element('h2', {}, 'Components'), stackList(components, open, 'Components'))
}

/** Shows the site's own frames. Those of packages and Node.js can be opened. */
export function showStack(stack: readonly DevStackLine[], open: Open): HTMLElement | null {
  if (stack.length === 0) return null
  return element('section', {}, element('h2', {}, 'Stack'), ...stackLists(stack, open))
}

export function showCause({ message, stack }: DevCause, open: Open): HTMLElement {
  return element(
    'section',
    {},
    element('h2', {}, 'Caused by'),
    element('p', { class: 'message' }, message),
    ...stackLists(stack, open),
  )
}

function stackLists(stack: readonly DevStackLine[], open: Open): (HTMLElement | null)[] {
  const siteFrames = stack.filter(({ isSite }) => isSite)
  const others = stack.filter(({ isSite }) => !isSite)
  const count = others.length === 1 ? '1 frame' : `${others.length} frames`
  return [
    siteFrames.length > 0 ? stackList(siteFrames, open, 'Stack') : null,
    others.length > 0
      ? element(
          'details',
          {},
          element('summary', {}, `${count} of packages and Node.js`),
          stackList(others, open, 'Frames of packages and Node.js'),
        )
      : null,
  ]
}

function stackList(lines: readonly DevStackLine[], open: Open, label: string): HTMLElement {
  const items = lines.map(({ name, place }) =>
    element('li', {}, element('span', { class: 'name' }, name || '(anonymous)'), ' ', place && placeLink(place, open)),
  )
  return element('ul', { class: 'stack', 'aria-label': label }, ...items)
}

export function placeLink(place: DevPlace, open: Open): HTMLElement {
  const text = formatDevPlace(place)
  // A URL, or a module of Node.js.
  if (/^[a-z][\w+.-]+:/i.test(place.file)) return element('span', { class: 'file' }, text)
  return button({ class: 'file link', 'aria-label': `Open ${text} in the editor` }, () => open(place), text)
}

/** Shows the digest with the command that looks it up, and where the error happened. */
export function showFacts({ digest, lookUp, route, path, browser }: DevError): HTMLElement | null {
  const facts = [
    digest === undefined ? null : (['Digest', element('code', {}, digest)] as const),
    lookUp === undefined ? null : (['Look up', element('code', {}, lookUp)] as const),
    path === undefined || path === route ? null : (['Path', element('code', {}, path)] as const),
    browser === undefined ? null : (['Browser', browser] as const),
  ].filter((fact) => fact !== null)
  if (facts.length === 0) return null
  const rows = facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value)))
  return element('dl', {}, ...rows)
}

type Attributes = Record<string, string | boolean>
type Child = Node | string | null

/** Creates an element. No text is parsed as HTML. An attribute that is true is empty, and false is left out. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) created.setAttribute(name, value === true ? '' : value)
  }
  created.append(...children.filter((child) => child !== null))
  return created
}

/** Creates a button that calls `onClick`. */
export function button(attributes: Attributes, onClick: () => void, ...children: readonly Child[]): HTMLButtonElement {
  const created = element('button', { type: 'button', ...attributes }, ...children)
  created.addEventListener('click', onClick)
  return created
}
