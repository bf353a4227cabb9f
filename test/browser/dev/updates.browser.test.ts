/// <reference lib="dom" />

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { keepsState, startDevSite } from './dev-site.ts'

const site = await startDevSite(t, 'dev')

t.test('shows edits of components without a change of state', async (t) => {
  const page = await site.open('/')
  await keepsState(t, page, () => site.edit('parts/box.tsx', 'box</b>', 'new box</b>'), '#box', 'new box')
  await keepsState(t, page, () => site.edit('pages/index.tsx', 'home</h1>', 'new home</h1>'), 'h1', 'new home')
  await keepsState(
    t,
    page,
    () => site.edit('pages/layout.tsx', 'layout</b>', 'new layout</b>'),
    '#layout',
    'new layout',
  )
  await keepsState(t, page, () => site.edit('parts/memo.tsx', 'memo</b>', 'new memo</b>'), '#memo', 'new memo')
  await keepsState(t, page, () => site.edit('parts/forward.tsx', '    forward', '    new'), '#forward', 'new')
  await keepsState(t, page, () => site.edit('parts/use-word.ts', "ending('!')", "ending('?')"), '#hooked', 'first?.')
  await keepsState(t, page, () => site.edit('parts/mark.ts', "'.'", "'…'"), '#deep', 'deep…')
  await page.says('#hooked', 'first?…')
  await keepsState(t, page, () => site.edit('parts/mixed.tsx', "'word'", "'new word'"), '#word', 'new word')
  await page.says('#mixed', 'mixed new word')
  t.strictSame(page.messages, [])
})

t.test('shows edits of nested layouts and of pages without a name', async (t) => {
  const page = await site.open('/inner')
  await keepsState(t, page, () => site.edit('pages/inner/layout.tsx', 'inner</b>', 'new</b>'), '#inner', 'new')
  await keepsState(t, page, () => site.edit('pages/inner/index.tsx', 'inner page', 'new page'), 'h1', 'new page')
  await page.goto(`${site.url}arrow`, 'load')
  await page.hydrated()
  await keepsState(t, page, () => site.edit('pages/arrow.tsx', 'arrow</h1>', 'new arrow</h1>'), 'h1', 'new arrow')
  t.strictSame(page.messages, [])
})

t.test('keeps the state when a program empties a file some time before it writes it', async (t) => {
  const page = await site.open('/arrow')
  const before = await page.use()
  const text = readFileSync(join(site.dir, 'pages/arrow.tsx'), 'utf8')
  for (let waitMs = 6; waitMs < 22; waitMs++) {
    site.write('pages/arrow.tsx', '')
    await setTimeout(waitMs)
    site.write('pages/arrow.tsx', text.replace('arrow</h1>', `${waitMs}</h1>`))
    await page.says('h1', `new ${waitMs}`)
  }
  t.strictSame(await page.state(), before)
  t.strictSame(page.messages, [])
})

t.test('keeps providers and consumers of a context together', async (t) => {
  const page = await site.open('/context')
  await keepsState(t, page, () => site.edit('parts/consumer.tsx', 'gets', 'has'), '#consumer', 'has given')
  await keepsState(t, page, () => site.edit('parts/provider.tsx', '"given"', '"new"'), '#consumer', 'has new')
  site.edit('parts/context.ts', "'default'", "'other'")
  await page.says('#consumer', 'has new')
  site.edit('parts/consumer.tsx', 'has', 'got')
  await page.says('#consumer', 'got new')
  t.strictSame(page.messages, [])
})

t.test('replaces a class by a function, and the function by a class', async (t) => {
  const page = await site.open('/context')
  const asClass = readFileSync(join(site.dir, 'parts/classy.tsx'), 'utf8')
  const write = (text: string) => () => site.write('parts/classy.tsx', text)
  const asFunction = 'export function Classy() {\n  return <b id="classy">function</b>\n}\n'
  await keepsState(t, page, write(asFunction), '#classy', 'function')
  await keepsState(t, page, write(asFunction.replace('function</b>', 'edited</b>')), '#classy', 'edited')
  await keepsState(t, page, write(asClass), '#classy', 'class')
  t.strictSame(page.messages, [])
})

t.test('resets a component whose hooks have changed, and no other', async (t) => {
  const page = await site.open('/hooks')
  const before = await page.use()
  await page.press('#changing')
  await page.says('#changing', '1 clicks')
  site.edit('parts/changing.tsx', '  return', "  const [unit] = useState('taps')\n  return")
  await page.says('#changing', '0 clicks')
  site.edit('parts/changing.tsx', '} clicks', '} {unit}')
  await page.says('#changing', '0 taps')
  await page.press('#changing')
  await page.says('#changing', '1 taps')
  // In this order, because each of them may be applied alone.
  site.edit('parts/changing.tsx', '} {unit}', '} hits')
  site.edit('parts/changing.tsx', "  const [unit] = useState('taps')\n", '')
  await page.says('#changing', '0 hits')
  t.strictSame(await page.state(), before)
  t.strictSame(page.messages, [])
})

t.test('resets a page without a name when a hook of another module has changed', async (t) => {
  const page = await site.open('/function')
  await page.use()
  site.edit('parts/use-hook.ts', '  return word', "  const [end] = useState('!')\n  return word + end")
  await page.says('h1', 'hook!')
  t.equal((await page.state()).isSameDocument, true)
  t.strictSame(page.messages, [])
})

t.test('applies files that are saved together as one update', async (t) => {
  const names = Array.from({ length: 10 }, (_, index) => `part-${index}`)
  for (const name of names) site.write(`many/${name}.tsx`, `export const Part = () => <b id="${name}">one</b>\n`)
  site.write(
    'pages/many.tsx',
    `${names.map((name, index) => `import { Part as Part${index} } from '../many/${name}'\n`).join('')}
export default function Page() {
  return <main>${names.map((_, index) => `<Part${index} />`).join('')}</main>
}
`,
  )
  const page = await site.open('/many')
  await page.says('#part-9', 'one')
  await page.evaluate(listenForUpdates, null)
  let counts: number[] = []
  // On a busy machine, writing them can take longer than the watcher waits for more.
  for (let attempt = 1; attempt <= 5 && counts[0] !== names.length; attempt++) {
    await page.evaluate(() => Reflect.get(self, 'counts').splice(0), null)
    for (const name of names)
      site.write(`many/${name}.tsx`, `export const Part = () => <b id="${name}">${attempt}</b>\n`)
    for (const name of names) await page.says(`#${name}`, String(attempt))
    site.edit('many/part-0.tsx', `>${attempt}<`, '>edited<')
    await page.says('#part-0', 'edited')
    await page.becomes(() => Reflect.get(self, 'counts').length > 1, null)
    counts = await page.evaluate(() => Reflect.get(self, 'counts'), null)
  }
  t.strictSame(counts, [10, 1])
})

/** Collects the number of modules of each update in `counts`. Resolves when updates are received. */
function listenForUpdates(): Promise<void> {
  const counts: number[] = []
  Object.assign(self, { counts })
  const events = new EventSource('/_hydrant/dev')
  events.onmessage = ({ data }) => {
    const { type, modules } = JSON.parse(data)
    if (type === 'update') counts.push(modules.length)
  }
  return new Promise((resolve) => {
    events.onopen = () => resolve()
  })
}
