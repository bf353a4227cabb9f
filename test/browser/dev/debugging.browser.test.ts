/// <reference lib="dom" />

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatedPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import t from 'tap'
import { writeFiles } from '../../server/served.ts'
import { until } from '../../until.ts'
import { startDevSite } from './dev-site.ts'

const config = (strictMode: boolean) => `export default { strictMode: ${strictMode} }\n`

const site = await startDevSite(t, 'dev', {
  prepare: (dir) => writeFiles(dir, { 'hydrant.config.ts': config(true) }),
})

t.test('shows the sources of scripts to a debugger, and stops at their lines', async (t) => {
  const open = await site.tab()
  const protocol = await open.page.context().newCDPSession(open.page)
  const maps: { url: string; map: string }[] = []
  protocol.on('Debugger.scriptParsed', ({ url, sourceMapURL = '' }) => maps.push({ url, map: sourceMapURL }))
  await protocol.send('Debugger.enable')
  await open.goto(`${site.url}debug`, 'load')
  const { map } = await until(() => maps.find(({ url }) => /parts-frame-\w+\.1\.js$/.test(url)))
  const { sources, sourcesContent } = JSON.parse(Buffer.from(map.split(',')[1] ?? '', 'base64').toString())
  t.strictSame(
    sources.map((source: string) => source.replace(/^[./]+/, '')),
    ['parts/frame.tsx'],
  )
  t.strictSame(sourcesContent, [readFileSync(join(site.dir, 'parts/frame.tsx'), 'utf8')])
  const { map: ofPage } = await until(() => maps.find(({ url }) => /\/debug-index-\w+\.1\.js$/.test(url)))
  t.match(JSON.parse(Buffer.from(ofPage.split(',')[1] ?? '', 'base64').toString()).sourcesContent, [
    /export default \(\) =>/,
  ])

  await protocol.send('Debugger.setBreakpointByUrl', { urlRegex: 'parts-frame-.*', lineNumber: lineOf(map, 5) })
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
  await open.goto(`${site.url}debug`, 'load')
  await open.hydrated()
  site.edit('pages/debug/index.css', '(1,', '(4,')
  site.edit('parts/frame.tsx', '}!', '}?')
  await open.says('#box', 'box?')
  await open.becomes(
    (color) => getComputedStyle(document.querySelector('#box') ?? document.body).color === color,
    'rgb(4, 2, 3)',
  )
  site.edit('parts/frame.tsx', '</b>', '</i>')
  await open.becomes(() => document.querySelector('hydrant-overlay') !== null, null)
  site.edit('parts/frame.tsx', '</i>', '</b>')
  await open.becomes(() => document.querySelector('hydrant-overlay') === null, null)
  t.strictSame(open.messages, [])
})

t.test('shows what React explains in the console in the terminal, once each until the next edit', async (t) => {
  const page = await site.open('/debug/mistakes')
  await page.press('button')
  await page.press('button')
  const shows = (count: number) => until(() => consoleTexts().filter(({ code }) => code).length >= count)
  await shows(3)
  t.strictSame(consoleTexts(), [
    {
      text: 'Each child in a list should have a unique "key" prop.',
      code: "  >  9 |   const words = ['a', 'b'].map((word) => <li>{word}</li>)",
    },
    { text: 'In HTML, <div> cannot be a descendant of <p>.', code: '  > 18 |           <div>inside</div>' },
    { text: 'odd click', code: "  >  7 |     console.error('odd %s', 'click')" },
  ])
  site.edit('pages/debug/mistakes.tsx', "'b'", "'c'")
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
  for (const path of ['/debug/twice', '/debug']) {
    const page = await site.open(path)
    const from = site.dev.lines.length
    if (path === '/debug') await page.evaluate(() => location.assign('/debug/twice'), null)
    await page.says('#twice', 'twice')
    const told = () => site.dev.lines.slice(path === '/debug' ? from : 0).join('\n')
    for (const selector of ['title', 'link[rel=canonical]', 'meta[name=description]', 'meta[property="og:title"]'])
      await until(() => told().includes(`elements ${selector}, and should have one: `))
    t.match(told(), /elements meta\[name=description\].*"of the layout", "of the page"/)
    await until(() => /\bTwice \(pages\/debug\/twice\/layout\.tsx:6:\d+\)/.test(told()))
    await until(() => /\bPage \(pages\/debug\/twice\/index\.tsx:4:\d+\)/.test(told()))
    t.ok(page.messages.some((message) => message.includes('"of the layout", "of the page"')))
  }
})

t.test('checks components in strict mode if the configuration says so', async (t) => {
  const page = await site.open('/debug')
  await page.says('#runs', '2')
  site.write('hydrant.config.ts', config(false))
  await page.says('#runs', '1')
  site.write('hydrant.config.ts', "export default { strictMode: 'yes' }\n")
  t.ok(await site.dev.waitFor(/HYD_OPTION_INVALID/))
})

/** Returns the texts of the browser's console in the terminal, each with its first line and its line of code. */
function consoleTexts() {
  const { lines } = site.dev
  const starts = lines.flatMap((line, index) => (line === 'Browser console  /debug/mistakes' ? [index] : []))
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
