// Values that a browser throws without a stack, or in a function of Hydrant's, lead to the site's own line.

import { join } from 'node:path'
import t from 'tap'
import { launchChromium } from '../browser/chromium.ts'
import { writeFiles } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'
import { startSite } from '../site-server.ts'

/** Buttons by what they make fail. The position is the line that ends with `// place: ` and the button's name. */
const FILES = {
  'pages/index.tsx': `import { Component, memo, useEffect, useState } from 'react'
import { href } from 'hydrant/react'
import { Elsewhere } from '../parts/elsewhere.tsx'
export default function Page() { // place: rejection
  const [part, setPart] = useState('')
  const show = (name: string) => <button id={name} onClick={() => setPart(name)}>{name}</button>
  return <main>
    {['render', 'memo', 'class', 'effect', 'elsewhere', 'symbol', 'undefined', 'deleted'].map(show)}
    <button id="timer" onClick={() => void setTimeout(onTimer)}>timer</button>
    <button id="href" onClick={onHref}>href</button>
    <button id="event" onClick={() => { throw 'text' }}>event</button>
    <button id="rejection" onClick={() => void Promise.reject('text')}>rejection</button>
    {part === 'render' && <Broken value="text" />}
    {part === 'memo' && <Remembered value="text" />}
    {part === 'class' && <Classy value="text" />}
    {part === 'effect' && <Effective value="text" />}
    {part === 'elsewhere' && <Elsewhere value="text" />}
    {part === 'symbol' && <Signed />}
    {part === 'undefined' && <Nothing />}
    {part === 'deleted' && <Deleted />}
  </main>
}
function Broken({ value }) { // place: render
  throw value
}
const Remembered = memo(function Inside({ value }) { // place: memo
  throw value
})
class Classy extends Component { // place: class
  render() {
    throw this.props.value
  }
}
function Effective({ value }) { // place: effect
  useEffect(() => {
    throw value
  })
  return <p>effect</p>
}
function Signed(): never { // place: symbol
  throw Symbol('sign')
}
function Nothing(): never { // place: undefined
  throw undefined
}
function Deleted(): never { // place: deleted
  const error = new Error('deleted')
  delete error.stack
  throw error
}
function onTimer() {
  throw 'text' // place: timer
}
function onHref() {
  href('/[id]', { id: '' }) // place: href
}
`,
  'parts/elsewhere.tsx': `export function Elsewhere({ value }) { // place: elsewhere
  throw value
}
`,
  'pages/other.tsx':
    'import { Elsewhere } from \'../parts/elsewhere.tsx\'\nexport default function Page() {\n  return <Elsewhere value="a" />\n}\n',
}
const PLACES = Object.entries(FILES).flatMap(([file, source]) =>
  source.split('\n').flatMap((text, index) => {
    const name = / \/\/ place: (\w+)$/.exec(text)?.[1]
    return name === undefined ? [] : [{ name, place: `${file}:${index + 1}` }]
  }),
)

const chromium = await launchChromium(t)

t.test('leads to the component, the line that throws, or the page', async (t) => {
  const dir = join(t.testdir({}), 'site')
  writeFiles(dir, FILES)
  const { manifest } = await buildSharing({ dir })
  t.equal(manifest.mode, 'production')
  const site = await startSite(t, { dir, env: { HYDRANT_LEDGER: 'false' } })
  // React passes on exceptions of its event handlers. The browser then reports only React's own position.
  const event = PLACES.flatMap(({ name, place }) => (name === 'rejection' ? [{ name: 'event', place }] : []))
  const { page, goto, hydrated } = await chromium.open()
  for (const { name, place } of [...PLACES, ...event]) {
    await goto(`http://127.0.0.1:${site.port}/`, 'load')
    await hydrated()
    const reported = page.waitForResponse((response) => new URL(response.url()).pathname === '/_hydrant/report')
    await page.click(`#${name}`)
    const id = await (await reported).headerValue('x-request-id')
    const { err } = await site.waitForLine(({ reqId, digest }) => reqId === id && digest !== undefined)
    const found = (err?.stack ?? '').matchAll(/^ {4}at (?:.*\()?((?:pages|parts)\/[^\s()]+:\d+):\d+\)?$/gm)
    t.equal([...found][0]?.[1], place, `${name}: ${err?.stack}`)
  }
})
