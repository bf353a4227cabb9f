// A site under `hydrant dev` gets files, edits and deletions in random order. After each step, its responses must be
// those of its files as they are.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { PATIENCE_MS } from '../until.ts'
import { createSite } from './create-site.ts'
import { startCli } from './run-cli.ts'

const STEPS = 60

/** Returns numbers from 0 to 1, the same ones in each run. */
function createRandom(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return state / 0x8000_0000
  }
}
const random = createRandom(17)
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T

/** A file with text that no other version of any file has. */
interface Written {
  text: string
  /** Whether the text of the library follows. */
  isImporting: boolean
}
const files = new Map<string, Written>()
let versions = 0

/** The two files that `lib/text` can lead to. The first one that exists counts. */
const LIBRARIES = ['lib/text.ts', 'lib/text/index.ts']
const COMPONENTS = ['pages/layout.tsx', 'pages/sub/layout.tsx', 'pages/index.tsx', 'pages/a.tsx', 'pages/sub/b.tsx']
const serverFileOf = (component: string) => component.replace('.tsx', '.server.ts')
const ALL = [
  ...COMPONENTS,
  ...COMPONENTS.map(serverFileOf),
  ...LIBRARIES,
  'server.ts',
  'public/file.txt',
  'public/sub/other.txt',
]

function contentOf(path: string, { text, isImporting }: Written): string {
  if (path.startsWith('public/')) return text
  if (path.startsWith('lib/')) return `export const text = '${text}'\n`
  const up = '../'.repeat(path.split('/').length - 1) || './'
  const start = isImporting ? `import { text } from '${up}lib/text'\n` : "const text = ''\n"
  if (path === 'server.ts') return `${start}export default (app) => { app.get('/of-server', () => '${text}' + text) }\n`
  if (path.endsWith('.server.ts')) return `${start}export const load = () => '${text}' + text\n`
  return `${start}export default ({ data, children }) => <>{'(${text}' + text + (data ?? '') + ')'}{children}</>\n`
}

/** Returns the text of a file in a response. */
function textOf(path: string): string {
  const file = files.get(path)
  if (!file) return ''
  const library = LIBRARIES.find((name) => files.has(name)) ?? ''
  return file.text + (file.isImporting ? (files.get(library)?.text ?? '') : '')
}

/** Returns the text of a page in its layouts; null if there is no page. */
function textOfPage(page: string, layouts: readonly string[]): string | null {
  if (!files.has(page)) return null
  const all = [...layouts.filter((layout) => files.has(layout)), page]
  return all.map((component) => `(${textOf(component)}${textOf(serverFileOf(component))})`).join('')
}

/** Returns the expected text of each path; null for a 404. */
function expected(): Record<string, string | null> {
  return {
    '/': textOfPage('pages/index.tsx', ['pages/layout.tsx']),
    '/a': textOfPage('pages/a.tsx', ['pages/layout.tsx']),
    '/sub/b': textOfPage('pages/sub/b.tsx', ['pages/layout.tsx', 'pages/sub/layout.tsx']),
    '/of-server': files.has('server.ts') ? textOf('server.ts') : null,
    '/file.txt': files.has('public/file.txt') ? textOf('public/file.txt') : null,
    '/sub/other.txt': files.has('public/sub/other.txt') ? textOf('public/sub/other.txt') : null,
  }
}

const dir = createSite(t, {})

function write(path: string) {
  const isImporting = !/^(lib|public)\//.test(path) && random() < 0.5
  const written = { text: `${path.replace(/\W/g, '-')}-${++versions};`, isImporting }
  files.set(path, written)
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  writeFileSync(join(dir, path), contentOf(path, written))
}

function remove(path: string) {
  files.delete(path)
  rmSync(join(dir, path))
}

/** Writes or deletes a file so that the site still builds. Returns what it did. */
function change(): string {
  const path = pick(ALL)
  const component = path.replace('.server.ts', '.tsx')
  if (!files.has(path) || random() < 0.5) {
    if (component !== path && !files.has(component)) write(component)
    write(path)
    return `write ${path}`
  }
  const isLast = LIBRARIES.includes(path) && LIBRARIES.filter((name) => files.has(name)).length === 1
  // A site has at least one page.
  if (isLast || path === 'pages/index.tsx') return 'nothing'
  if (files.has(serverFileOf(path)) && serverFileOf(path) !== path) remove(serverFileOf(path))
  remove(path)
  // Some programs also remove a folder that has become empty.
  if (path === 'public/sub/other.txt') rmSync(join(dir, 'public/sub'), { recursive: true })
  return `remove ${path}`
}

t.test('responses are those of the files, after any sequence of changes', async (t) => {
  for (const path of ['pages/index.tsx', 'lib/text/index.ts']) write(path)
  const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1'])
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)

  async function read(path: string): Promise<string | null> {
    const response = await fetch(new URL(path, url), { headers: { accept: 'text/html' } })
    const body = await response.text()
    if (response.status === 404) return null
    const text = body.replace(/<(script|style|title)\b.*?<\/\1>/gs, '').replace(/<[^>]*>/g, '')
    return response.status === 200 ? text : `${response.status}: ${text}`
  }

  const changes: string[] = []
  for (let step = 0; step < STEPS; step++) {
    // Some changes are made together.
    for (let count = random() < 0.2 ? 3 : 1; count > 0; count--) changes.push(`${step}: ${change()}`)
    const wanted = expected()
    const endsAt = Date.now() + PATIENCE_MS
    let found: Record<string, string | null> = {}
    do {
      const entries = Object.keys(wanted).map(async (path) => [path, await read(path)] as const)
      found = Object.fromEntries(await Promise.all(entries))
      if (JSON.stringify(found) === JSON.stringify(wanted)) break
      await setTimeout(50)
    } while (Date.now() < endsAt)
    if (!t.strictSame(found, wanted, changes.slice(-6).join(', '))) break
  }
  t.ok(existsSync(join(dir, 'pages/index.tsx')))
})
