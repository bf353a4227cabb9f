// In development, an edit costs as much in a large site as in a small one.

import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createSite } from './create-site.ts'
import { startCli } from './run-cli.ts'

const COMPONENT = 'components/c0.tsx'
const component = (text: string) =>
  `import { useLabel } from '../hooks/label.ts'\nimport styles from './c.module.css'\n\n` +
  `export function C() {\n  return <p className={styles.text}>{useLabel()} ${text}</p>\n}\n`
const imported = (index: number) => `import { C as C${index} } from '../components/c${index}.tsx'\n`
const page = (text: string, components: readonly number[]) =>
  `${components.map(imported).join('')}\nexport default function Page() {\n` +
  `  return <main><h1>${text}</h1>${components.map((index) => `<C${index} />`).join('')}</main>\n}\n`
const layout = (text: string) =>
  `import type { ReactNode } from 'react'\nimport './layout.css'\n\n` +
  `export default function Layout({ children }: { children: ReactNode }) {\n` +
  `  return <html lang="en"><head /><body><h2>${text}</h2>{children}</body></html>\n}\n`
const SHOWN = [0, 1, 2]

/** The edits, by the files that they write. */
const EDITS: Record<string, (text: string) => string> = {
  [COMPONENT]: component,
  'pages/index.tsx': (text) => page(text, SHOWN),
  'pages/layout.tsx': layout,
  'pages/layout.css': (text) => `h2::after { content: "${text}" }\n`,
  'components/c.module.css': (text) => `.text::after { content: "${text}" }\n`,
}

/** Pages show three components each, and import the others by turns. Only the first three use the hook. */
function createFiles({ components, pages }: { components: number; pages: number }): Record<string, string> {
  const files: Record<string, string> = { 'hooks/label.ts': "export const useLabel = () => 'label'\n" }
  for (const [path, write] of Object.entries(EDITS)) files[path] = write('first')
  for (let index = 0; index < components; index++) files[`components/c${index}.tsx`] = component('first')
  for (let index = 1; index < pages; index++) {
    const others = SHOWN.map((shown) => 3 + ((index * SHOWN.length + shown) % (components - 3)))
    files[`pages/page-${index}.tsx`] = page('first', others)
  }
  return files
}

/**
 * Counts, in the server, the calls of Node.js that concern files of the site, the hashes, and the requests to esbuild.
 * SIGUSR2 prints the counts.
 */
const COUNTER = `
import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const counts = {}
const count = (name) => { counts[name] = (counts[name] ?? 0) + 1 }
for (const from of [fs, fs.promises]) for (const name of Object.keys(from)) {
  if (!/^(l?stat|open|readFile|readdir|realpath|watch|watchFile|writeFile|copyFile)(Sync)?$/.test(name)) continue
  const real = from[name]
  const counted = (path, ...rest) => {
    if (String(path).startsWith(process.env.COUNTED)) count(name)
    return real.call(from, path, ...rest)
  }
  from[name] = Object.assign(counted, real)
}
const { createHash } = crypto
crypto.createHash = (...given) => { count('createHash'); return createHash(...given) }
const { spawn } = childProcess
childProcess.spawn = (...given) => {
  const child = spawn(...given)
  const write = child.stdin?.write
  if (write) child.stdin.write = (packet, ...rest) => {
    // The lowest bit of the second number tells requests from responses. esbuild asks each second whether Node.js lives.
    if (packet.length >= 8 && (packet[4] & 1) === 0) count('requests to esbuild')
    return write.call(child.stdin, packet, ...rest)
  }
  return child
}
syncBuiltinESMExports()
process.on('SIGUSR2', () => console.log('counted ' + JSON.stringify(counts)))
`

type Counts = Record<string, number>

/** Opens the first page of a site as a browser does, edits each file, and counts what an edit needs. */
async function countEdits(t: Test, size: { components: number; pages: number }): Promise<Record<string, Counts>> {
  const dir = createSite(t, createFiles(size))
  // Outside the folders that the server watches: a file that is moved into its place causes one event.
  const outside = mkdtempSync(join(dir, '../edits-'))
  t.teardown(() => rmSync(outside, { recursive: true }))
  const node = ['--import', `data:text/javascript,${encodeURIComponent(COUNTER)}`]
  const env = { COUNTED: dir }
  const dev = startCli(t, ['dev', dir, '--host', '127.0.0.1', '--port', '0'], { node, env })
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  await openPage(url)

  async function readCounts(): Promise<Counts> {
    process.kill(dev.pid, 'SIGUSR2')
    const [, text = ''] = await dev.waitFor(/^counted (.*)/)
    // The counter has written it.
    return JSON.parse(text) as Counts
  }

  async function edit(path: string, text: string) {
    writeFileSync(join(outside, 'new'), EDITS[path]?.(text) ?? '')
    renameSync(join(outside, 'new'), join(dir, path))
    await dev.waitFor(/^updated in/)
  }

  const found: Record<string, Counts> = {}
  for (const path of Object.keys(EDITS)) {
    await edit(path, 'second')
    const before = await readCounts()
    await edit(path, 'third')
    const after = await readCounts()
    const counts = Object.entries(after).map(([name, number]) => [name, number - (before[name] ?? 0)] as const)
    found[path] = Object.fromEntries(counts.filter(([, number]) => number > 0))
  }
  return found
}

/** Requests a page, its stylesheets and its modules, and those that they import. */
async function openPage(url: string) {
  const document = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
  const seen = new Set<string>()
  async function load(file: string) {
    if (seen.has(file) || /\/(packages|chunk)-/.test(file)) return
    seen.add(file)
    const text = await (await fetch(file)).text()
    for (const [, name = ''] of text.matchAll(/(?:from|import) ?"(\.\/[\w.-]+\.js)"/g))
      await load(new URL(name, file).href)
  }
  for (const [name] of document.matchAll(/[\w/.-]+\.(?:root\.js|css)\b/g)) {
    await load(new URL(`/_hydrant/assets/${name.split('/').pop()}`, url).href)
  }
}

const SIZES = { small: { components: 10, pages: 2 }, large: { components: 300, pages: 60 } }

t.test('an edit needs as much in a site of 300 components as in one of 10', async (t) => {
  const found: Partial<Record<keyof typeof SIZES, Record<string, Counts>>> = {}
  // Each has a folder of its own, which is replaced only when its server has ended.
  for (const size of ['small', 'large'] as const)
    await t.test(size, async (t) => {
      found[size] = await countEdits(t, SIZES[size])
    })
  for (const [path, counts] of Object.entries(found.small ?? {})) {
    t.ok(Object.keys(counts).length > 0, `${path} is counted: ${JSON.stringify(counts)}`)
    t.strictSame(found.large?.[path], counts, path)
  }
  t.strictSame(Object.keys(found.small ?? {}), Object.keys(EDITS))
})
