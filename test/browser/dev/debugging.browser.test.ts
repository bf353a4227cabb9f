/// <reference lib="dom" />

import { generatedPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import t from 'tap'
import { until } from '../../until.ts'
import { startDevSite } from './dev-site.ts'

const config = (strictMode: boolean) => `export default { strictMode: ${strictMode} }\n`

const box = `interface Props {
  word: string
}

export function Box({ word }: Props) {
  const text = word + '!'
  return <b id="box">{text}</b>
}
`

/** Elements that a head should have only once, by the selectors in the text about them. */
const SINGLE: Record<string, (of: string) => string> = {
  title: (of) => `<title>${of}</title>`,
  'link[rel=canonical]': (of) => `<link rel="canonical" href="https://site.example/${of}" />`,
  'meta[name=description]': (of) => `<meta name="description" content="${of}" />`,
  'meta[property="og:title"]': (of) => `<meta property="og:title" content="${of}" />`,
}
const single = (of: string) =>
  Object.values(SINGLE)
    .map((write) => write(of))
    .join('')

const site = await startDevSite(t, {
  'hydrant.config.ts': config(true),
  'pages/index.tsx': `import { useEffect, useState } from 'react'
import { Box } from '../parts/box'
import './index.css'
export default () => {
  const [runs, setRuns] = useState(0)
  useEffect(() => setRuns((last) => last + 1), [])
  return <main><p id="runs">{runs}</p><Box word="box" /></main>
}
`,
  'pages/index.css': '#box { color: rgb(1, 2, 3) }\n',
  'parts/box.tsx': box,
  'pages/twice/layout.tsx': `export default function Twice({ children }) {
  return <>${single('of the layout')}{children}</>
}
`,
  'pages/twice/index.tsx': `export default function Page() {
  return <>${single('of the page')}<p id="twice">twice</p></>
}
`,
  'pages/mistakes.tsx': `import { useState } from 'react'
export default () => {
  const [isShown, setShown] = useState(false)
  function show() {
    setShown(true)
    console.error('odd %s', 'click')
  }
  const words = ['a', 'b'].map((word) => (
    <li>{word}</li>
  ))
  return <main>
    <ul>{words}</ul>
    <button type="button" onClick={show}>show</button>
    {isShown && <p>
      <div>inside</div>
    </p>}
  </main>
}
`,
})

t.test('shows the sources of scripts to a debugger, and stops at their lines', async (t) => {
  const open = await site.tab()
  const protocol = await open.page.context().newCDPSession(open.page)
  const maps: { url: string; map: string }[] = []
  protocol.on('Debugger.scriptParsed', ({ url, sourceMapURL = '' }) => maps.push({ url, map: sourceMapURL }))
  await protocol.send('Debugger.enable')
  await open.goto(site.url, 'load')
  const { map } = await until(() => maps.find(({ url }) => /parts-box-\w+\.1\.js$/.test(url)))
  const { sources, sourcesContent } = JSON.parse(Buffer.from(map.split(',')[1] ?? '', 'base64').toString())
  t.strictSame(
    sources.map((source: string) => source.replace(/^[./]+/, '')),
    ['parts/box.tsx'],
  )
  t.strictSame(sourcesContent, [box])
  const { map: ofPage } = await until(() => maps.find(({ url }) => /\/index-\w+\.1\.js$/.test(url)))
  t.match(JSON.parse(Buffer.from(ofPage.split(',')[1] ?? '', 'base64').toString()).sourcesContent, [
    /export default \(\) =>/,
  ])

  await protocol.send('Debugger.setBreakpointByUrl', { urlRegex: 'parts-box-.*', lineNumber: lineOf(map, 5) })
  const paused = new Promise<number | undefined>((resolve) => {
    protocol.once('Debugger.paused', ({ callFrames }) => resolve(callFrames[0]?.location.lineNumber))
  })
  const loaded = open.page.reload()
  t.equal(await paused, lineOf(map, 5))
  await protocol.send('Debugger.disable')
  await loaded
})

t.test('has no violations of the policy and no messages in the console', async (t) => {
  const open = await site.tab()
  await open.page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective }) => console.error(violatedDirective))
  })
  await open.goto(site.url, 'load')
  await open.hydrated()
  site.edit('pages/index.css', '(1,', '(4,')
  site.edit('parts/box.tsx', "'!'", "'?'")
  await open.says('#box', 'box?')
  await open.becomes(
    (color) => getComputedStyle(document.querySelector('#box') ?? document.body).color === color,
    'rgb(4, 2, 3)',
  )
  site.edit('parts/box.tsx', '</b>', '</i>')
  await open.becomes(() => document.querySelector('hydrant-overlay') !== null, null)
  site.edit('parts/box.tsx', '</i>', '</b>')
  await open.becomes(() => document.querySelector('hydrant-overlay') === null, null)
  t.strictSame(open.messages, [])
})

t.test('shows what React explains in the console in the terminal, once each until the next edit', async (t) => {
  const page = await site.open('/mistakes')
  await page.press('button')
  await page.press('button')
  const shows = (count: number) => until(() => consoleTexts().filter(({ code }) => code).length >= count)
  await shows(3)
  t.strictSame(consoleTexts(), [
    { text: 'Each child in a list should have a unique "key" prop.', code: '  >  9 |     <li>{word}</li>' },
    { text: 'In HTML, <div> cannot be a descendant of <p>.', code: '  > 15 |       <div>inside</div>' },
    { text: 'odd click', code: "  > 6 |     console.error('odd %s', 'click')" },
  ])
  site.edit('pages/mistakes.tsx', "'b'", "'c'")
  await page.says('li:last-child', 'c')
  await page.press('button')
  await shows(4)
  t.strictSame(
    consoleTexts().map(({ text }) => text.split(' ')[0]),
    ['Each', 'In', 'odd', 'odd'],
  )
  const countOf = (text: string) => page.messages.filter((message) => message.includes(text)).length
  t.equal(countOf('unique "key" prop'), 1, 'the console of the browser has them as before')
  t.equal(countOf('cannot be a descendant'), 1)
  t.equal(await page.count('hydrant-overlay'), 0, 'they are no failures')
  t.notOk(site.dev.lines.some((line) => line.startsWith('Digest')))
})

t.test('tells about an element that the head has twice, in a document and after a navigation', async (t) => {
  for (const path of ['/twice', '/']) {
    const page = await site.open(path)
    const from = site.dev.lines.length
    if (path === '/') await page.evaluate(() => location.assign('/twice'), null)
    await page.says('#twice', 'twice')
    const told = () => site.dev.lines.slice(path === '/' ? from : 0).join('\n')
    for (const selector of Object.keys(SINGLE))
      await until(() => told().includes(`elements ${selector}, and should have one: `))
    t.match(told(), /elements meta\[name=description\].*"of the layout", "of the page"/)
    await until(() => /\bTwice \(pages\/twice\/layout\.tsx:2:\d+\)/.test(told()))
    await until(() => /\bPage \(pages\/twice\/index\.tsx:2:\d+\)/.test(told()))
    t.ok(page.messages.some((message) => message.includes('"of the layout", "of the page"')))
  }
})

t.test('checks components in strict mode if the configuration says so', async (t) => {
  const page = await site.open('/')
  await page.says('#runs', '2')
  site.write('hydrant.config.ts', config(false))
  await page.says('#runs', '1')
  site.write('hydrant.config.ts', "export default { strictMode: 'yes' }\n")
  t.ok(await site.dev.waitFor(/HYD_OPTION_INVALID/))
})

/** Returns the texts of the browser's console in the terminal, each with its first line and its line of code. */
function consoleTexts() {
  const { lines } = site.dev
  const starts = lines.flatMap((line, index) => (line === 'Browser console  /mistakes' ? [index] : []))
  return starts
    .map((start) => ({
      text: lines[start + 1] ?? '',
      code: lines.slice(start).find((line) => /^ {2}> +\d+ \|/.test(line)) ?? '',
    }))
    .sort((one, other) => one.text.localeCompare(other.text))
}

/** Returns the first line of the script that a line of the source has become. Both count from 0. */
function lineOf(map: string, sourceLine: number): number {
  const { mappings } = JSON.parse(Buffer.from(map.split(',')[1] ?? '', 'base64').toString()) as { mappings: string }
  const trace = new TraceMap({ version: 3, sources: ['box'], names: [], mappings })
  const found = generatedPositionFor(trace, { source: 'box', line: sourceLine + 1, column: 2 })
  return (found.line ?? 0) - 1
}
