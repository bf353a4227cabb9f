// What an editor shows while a developer types, from TypeScript's own language server, without a plugin.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { createTypedSite, installCompilers, writeTypes } from './typed-site.ts'

const [oldest] = await installCompilers()

interface Answer {
  type: string
  request_seq: number
  body: unknown
}

/** Starts the language server of a compiler. The returned function sends a request and resolves with the answer. */
function startServer(t: Test, tsc: string) {
  // It need not look for the types of JavaScript packages in the registry.
  const words = [join(realpathSync(tsc), '../tsserver'), '--disableAutomaticTypingAcquisition']
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  t.teardown(async () => {
    child.stdin.end()
    await ended
  })
  const waiting = new Map<number, (body: unknown) => void>()
  createInterface(child.stdout).on('line', (line) => {
    if (!line.startsWith('{')) return
    const { type, request_seq, body }: Answer = JSON.parse(line)
    if (type === 'response') waiting.get(request_seq)?.(body)
  })
  let last = 0
  return (command: string, args: object) => {
    last += 1
    const answer = new Promise<unknown>((resolve) => waiting.set(last, resolve))
    child.stdin.write(`${JSON.stringify({ seq: last, type: 'request', command, arguments: args })}\n`)
    return answer
  }
}

t.test('an editor completes routes, shows the type of data, and leads to the load', async (t) => {
  const page = "import type { LayoutProps, PageProps } from 'hydrant/react'\n"
  const dir = createTypedSite(t, {
    'pages/(shop)/layout.tsx': 'export default () => null\n',
    'pages/(shop)/[id].tsx': `${page}export default ({ data }: PageProps<'/[id]'>) => <p>{data.name}</p>\n`,
    'pages/(shop)/[id].server.ts': "export async function load() {\n  return { name: 'x' }\n}\n",
    'typing.ts': `${page}export type A = PageProps<''>\nexport type B = LayoutProps<''>\n`,
  })
  await writeTypes(t, dir)
  const request = startServer(t, oldest?.command ?? '')
  /** Returns the position in a file just after the text. */
  const after = (path: string, text: string) => {
    const file = join(dir, path)
    const lines = readFileSync(file, 'utf8').split('\n')
    const line = lines.findIndex((one) => one.includes(text))
    return { file, line: line + 1, offset: (lines[line]?.indexOf(text) ?? 0) + text.length + 1 }
  }
  for (const path of ['typing.ts', 'pages/(shop)/[id].tsx']) void request('open', { file: join(dir, path) })
  const completed = async (text: string) => await request('completionInfo', after('typing.ts', text))
  t.match(await completed("PageProps<'"), { entries: [{ name: '/' }, { name: '/[id]' }] })
  t.match(await completed("LayoutProps<'"), { entries: [{ name: '/(shop)' }] })
  const name = after('pages/(shop)/[id].tsx', 'data.na')
  t.match(await request('quickinfo', name), { displayString: '(property) name: string' })
  t.match(await request('definition', name), [{ file: /\[id\]\.server\.ts$/, start: { line: 2 } }])
})
