/// <reference lib="dom" />

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { keepsState, startDevSite } from './dev-site.ts'

const home = `import { Anonymous } from '../parts/anonymous'
import Box from '../parts/box'
import { Deep } from '../parts/deep'
import { Field } from '../parts/forward'
import { Hooked } from '../parts/hooked'
import { Memo } from '../parts/memo'
import { State } from '../parts/state'
import { Mixed, WORD } from '../parts/mixed'
void Anonymous
export default function Page() {
  return (
    <main>
      <h1>home</h1>
      <Box /><Deep /><Field /><Hooked /><Memo /><Mixed /><i id="word">{WORD}</i>
      <State />
    </main>
  )
}
`

const files = {
  'pages/index.tsx': home,
  'pages/inner/layout.tsx':
    'export default function Inner({ children }) {\n  return <section><b id="inner">inner</b>{children}</section>\n}\n',
  'pages/inner/index.tsx': `import { State } from '../../parts/state'
export default () => <main><h1>inner page</h1><a href="/">home</a><State /></main>
`,
  'pages/arrow.tsx': `import { useState } from 'react'
export default () => {
  const [count, setCount] = useState(0)
  return <main><h1>arrow</h1><button id="count" type="button" onClick={() => setCount(count + 1)}>{count}</button><input id="typed" /><p style={{ height: 3000 }} /></main>
}
`,
  'parts/anonymous.tsx': 'export const Anonymous = () => <b>anonymous</b>\n',
  'parts/box.tsx': 'export default function Box() {\n  return <b id="box">box</b>\n}\n',
  'parts/memo.tsx': `import { memo } from 'react'\nexport const Memo = memo(() => <b id="memo">memo</b>)\n`,
  'parts/forward.tsx': `import { forwardRef } from 'react'
export const Field = forwardRef((props, ref) => <b id="forward" ref={ref}>forward</b>)
`,
  'parts/use-word.ts': `import { useState } from 'react'
import { ending } from './ending'
export function useWord() {
  const [word] = useState('first')
  return word + ending('!')
}
`,
  'parts/ending.ts': `import { MARK } from './mark'\nexport const ending = (text) => text + MARK\n`,
  'parts/mark.ts': `export const MARK = '.'\n`,
  'parts/hooked.tsx': `import { useWord } from './use-word'
export function Hooked() {
  return <b id="hooked">{useWord()}</b>
}
`,
  'parts/deep.tsx': `import { ending } from './ending'
export function Deep() {
  return <b id="deep">{ending('deep')}</b>
}
`,
  'pages/context.tsx': `import { Classy } from '../parts/classy'
import { Consumer } from '../parts/consumer'
import { Provider } from '../parts/provider'
import { State } from '../parts/state'
export default function Page() {
  return <Provider><h1>context</h1><Consumer /><Classy /><State /></Provider>
}
`,
  'parts/classy.tsx': `import { Component } from 'react'
export class Classy extends Component {
  render() { return <b id="classy">class</b> }
}
`,
  'parts/context.ts': `import { createContext } from 'react'\nexport const Word = createContext('default')\n`,
  'parts/provider.tsx': `import { Word } from './context'
export function Provider({ children }) {
  return <Word.Provider value="given">{children}</Word.Provider>
}
`,
  'parts/consumer.tsx': `import { use } from 'react'
import { Word } from './context'
export function Consumer() {
  return <b id="consumer">{'gets ' + use(Word)}</b>
}
`,
  'pages/hooks.tsx': `import { Changing } from '../parts/changing'
import { State } from '../parts/state'
export default function Page() {
  return <main><h1>hooks</h1><Changing /><State /></main>
}
`,
  'parts/changing.tsx': `import { useState } from 'react'
export function Changing() {
  const [clicks, setClicks] = useState(0)
  return <button id="changing" type="button" onClick={() => setClicks(clicks + 1)}>{clicks + ' clicks'}</button>
}
`,
  'pages/function.tsx': `import { useWord } from '../parts/use-hook'
import { State } from '../parts/state'
export default function () {
  return <main><h1>{useWord()}</h1><State /></main>
}
`,
  'parts/use-hook.ts': `import { useState } from 'react'
export function useWord() {
  const [word] = useState('hook')
  return word
}
`,
  'parts/mixed.tsx': `export const WORD = 'word'
export function Mixed() {
  return <b id="mixed">{'mixed ' + WORD}</b>
}
`,
}

const site = await startDevSite(t, files)

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
  await keepsState(t, page, () => site.edit('parts/forward.tsx', 'forward</b>', 'new</b>'), '#forward', 'new')
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
  site.edit('parts/changing.tsx', "' clicks'", "' ' + unit")
  await page.says('#changing', '0 taps')
  await page.press('#changing')
  await page.says('#changing', '1 taps')
  // In this order, because each of them may be applied alone.
  site.edit('parts/changing.tsx', "' ' + unit", "' hits'")
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
