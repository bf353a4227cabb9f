// The source files that the Hydrant site and the Vite app have in common.

export interface Size {
  /** A multiple of ten. */
  components: number
  pages: number
  /** The number of components that each page shows at most, a multiple of ten. */
  shown: number
}

/** The text of everything that has not been edited. */
export const FIRST = 'first'
/** The component that is edited. It renders no other component. */
export const LEAF = 9
export const GROUP = 10
const WITH_CSS_MODULE = 8
/** The components that the first four components of a group render, as offsets in the group. */
const RENDERED = [
  [1, 2, 3],
  [4, 5],
  [6, 7],
  [8, 9],
]

export const PLACES = {
  component: componentPath(LEAF),
  page: 'pages/index.tsx',
  layout: 'pages/layout.tsx',
  hook: 'hooks/use-label.ts',
  css: 'pages/layout.css',
  cssModule: `components/c${WITH_CSS_MODULE}.module.css`,
}

/** Returns all components, the hook and the stylesheets. */
export function sharedFiles({ components, pages, shown }: Size): Record<string, string> {
  const files: Record<string, string> = {
    [PLACES.hook]: hookSource(FIRST),
    [PLACES.css]: cssSource(FIRST),
    [PLACES.cssModule]: cssModuleSource(FIRST),
  }
  for (let index = 0; index < components; index++) files[componentPath(index)] = componentSource(index, FIRST)
  const hidden = groupsOf(components).slice((pages * shown) / GROUP)
  files['components/hidden.tsx'] = `${importGroups(hidden, './')}
export function Hidden() {
  return <>${renderGroups(hidden)}</>
}
`
  return files
}

export function componentPath(index: number): string {
  return `components/c${index}.tsx`
}

export function componentSource(index: number, text: string): string {
  const first = index - (index % GROUP)
  const rendered = (RENDERED[index - first] ?? []).map((offset) => first + offset)
  return `import { useState } from 'react'
${first === 0 ? "import { useLabel } from '../hooks/use-label.ts'\n" : ''}${
  index === WITH_CSS_MODULE ? `import styles from './c${index}.module.css'\n` : ''
}${rendered.map((other) => `import { C${other} } from './c${other}.tsx'\n`).join('')}
export function C${index}() {
  const [count, setCount] = useState(0)
  const [note, setNote] = useState('')
${first === 0 ? '  const label = useLabel()\n' : ''}  return (
    <section className="card">
      <h2>Component ${index}</h2>
      <p data-edit="component-${index}">${text}</p>
${first === 0 ? '      <p data-edit="hook">{label}</p>\n' : ''}${
  index === WITH_CSS_MODULE ? '      <p data-edit="css-module" className={styles.text} />\n' : ''
}      <button type="button" ${index === LEAF ? 'data-counter ' : ''}onClick={() => setCount(count + 1)}>
        {count}
      </button>
      <input ${index === LEAF ? 'data-input ' : ''}value={note} onChange={(event) => setNote(event.target.value)} />
${rendered.map((other) => `      <C${other} />\n`).join('')}    </section>
  )
}
`
}

/**
 * Returns the source of a page that renders up to `shown` components. Each page would also show the components that no
 * page renders, after a click.
 *
 * @param data What else the page renders from its `data`, or null for a page without.
 */
export function pageSource({ components, shown }: Size, page: number, text: string, data: string | null): string {
  const all = groupsOf(components)
  const count = Math.min(shown / GROUP, all.length)
  const begin = (page * count) % all.length
  const groups = [...all, ...all].slice(begin, begin + count)
  return `import { useState } from 'react'
import { Hidden } from '../components/hidden.tsx'
${importGroups(groups, '../components/')}
export default function Page(${data === null ? '' : '{ data }: { data: Record<string, string> }'}) {
  const [count, setCount] = useState(0)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <h1>Page ${page}</h1>
      <p data-edit="page">${text}</p>
      ${data ?? ''}
      <button type="button" data-counter onClick={() => setCount(count + 1)}>
        {count}
      </button>
      ${renderGroups(groups)}
      <button type="button" onClick={() => setOpen(!isOpen)}>
        More
      </button>
      {isOpen && <Hidden />}
    </>
  )
}
`
}

/** Returns the source of the layout. `wrap` puts elements around its contents. */
export function layoutSource(text: string, wrap: (contents: string) => string): string {
  const contents = `<header>
        <p data-edit="layout">${text}</p>
        <p data-edit="css" className="css-text" />
        <button type="button" data-counter onClick={() => setCount(count + 1)}>
          {count}
        </button>
      </header>
      <main>{children}</main>`
  return `import { type ReactNode, useState } from 'react'
import './layout.css'

export default function Layout({ children }: { children: ReactNode }) {
  const [count, setCount] = useState(0)
  return (
    ${wrap(contents)}
  )
}
`
}

export function hookSource(text: string): string {
  return `import { useState } from 'react'

export function useLabel(): string {
  const [suffix] = useState('')
  return '${text}' + suffix
}
`
}

export function cssSource(text: string): string {
  return `.card { border: 1px solid gray; padding: 0.5rem }\n.css-text::after { content: "${text}" }\n`
}

export function cssModuleSource(text: string): string {
  return `.text::after { content: "${text}" }\n`
}

function groupsOf(components: number): number[] {
  return Array.from({ length: components / GROUP }, (_, group) => group * GROUP)
}

function importGroups(groups: readonly number[], folder: string): string {
  return groups.map((index) => `import { C${index} } from '${folder}c${index}.tsx'\n`).join('')
}

function renderGroups(groups: readonly number[]): string {
  return groups.map((index) => `<C${index} />`).join(' ')
}
