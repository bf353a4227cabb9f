import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createClientMapper } from '../../../../src/server/failures/stacks/client-source-map.ts'
import { buildFiles, scriptOf } from '../../served.ts'

const dir = await buildFiles(t.testdir({}), {
  // With the line ends that Git writes on Windows.
  'pages/index.tsx':
    "class PriceError extends Error {\n  override name = new.target.name\n}\nfunction price(): never {\n  throw new PriceError('no price')\n}\nexport default function Page() {\n  return <button onClick={() => price()}>buy</button>\n}\n".replaceAll(
      '\n',
      '\r\n',
    ),
})
const folder = join(dir, '.hydrant')
const script = scriptOf(dir, 'pages/index.tsx')
const create = (base = '/') => createClientMapper({ siteDir: dir, folder, base })
const text = readFileSync(join(folder, 'client', script), 'utf8')
const column = text.indexOf('throw new') + 'throw '.length + 1
/** The minified name of the class. */
const minified = /(\w+)=class extends|class (\w+) extends/.exec(text)?.slice(1).find(Boolean) ?? ''

t.test('frames are mapped to the source, with names and code, for any host', async (t) => {
  for (const [base, origin] of [
    ['/', 'https://shop.example'],
    ['/shop', 'http://127.0.0.1:3000/shop'],
  ] as const) {
    const { mapFrame, codeAround, typeName } = create(base)
    const frame = `    at x (${origin}/_hydrant/assets/${script}:1:${column})`
    const mapped = mapFrame(frame)
    t.equal(mapped.text, '    at price (pages/index.tsx:5:9)')
    t.match(mapped.frame, { function: 'price', isSite: true })
    const code = mapped.frame && codeAround(mapped.frame)
    t.equal(code?.lines[5 - code.firstLine], "  throw new PriceError('no price')")
    t.equal(typeName(minified, [frame]), 'PriceError')
    t.equal(typeName('TypeError', [frame]), 'TypeError')
    t.equal(typeName('toString', [frame]), 'toString')
  }
})

t.test('a frame that cannot be mapped says why', async (t) => {
  const { mapFrame } = create()
  const frames: [string, RegExp | undefined][] = [
    [`    at x (https://shop.example/_hydrant/assets/gone-ABCDEFGH.js:1:1)`, /source map of this script is missing/],
    [`    at x (https://shop.example/_hydrant/assets/${script}:99:1)`, /no source for this position/],
    [`    at x (https://shop.example/_hydrant/assets/${script}:0:1)`, /no source for this position/],
    [`    at x (https://shop.example/_hydrant/assets/${script}:1:0)`, /no source for this position/],
    ['    at x (https://other.example/a.js:1:1)', undefined],
    ['    at x (https://shop.example/_hydrant/assets/../../../server/index.mjs:1:1)', undefined],
    ['    at x (file:///etc/passwd:1:1)', undefined],
  ]
  for (const [text, unmapped] of frames) {
    const mapped = mapFrame(text)
    t.equal(mapped.text, text)
    t.equal(mapped.frame?.isSite, false)
    if (unmapped) t.match(mapped.frame?.unmapped, unmapped)
    else t.equal(mapped.frame?.unmapped, undefined)
  }
})

t.test('a broken or missing map leaves frames unchanged', async (t) => {
  const frame = `    at x (https://shop.example/_hydrant/assets/${script}:1:${column})`
  const file = join(folder, 'maps', `${script}.map`)
  for (const map of ['', '{}', 'null', '[]', '{"version":3,"sources":[null],"names":[],"mappings":"AAAA"}', null]) {
    if (map === null) rmSync(file)
    else writeFileSync(file, map)
    const mapped = create().mapFrame(frame)
    t.equal(mapped.text, frame)
    t.type(mapped.frame?.unmapped, 'string')
  }
})
