import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type EncodedSourceMap, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { build } from 'esbuild'
import t from 'tap'
import { rejectUnmatched } from '../../scripts/build/output/mark-thrown.ts'

const SOURCE = `export const later = (name) => import(\`./texts/\${name}.js\`)
export const now = (name) => require(\`./texts/\${name}.js\`)
export const waiting = (name) => import(\`./late/\${name}.js\`)
export function fail() { throw new Error('failed') }
`

for (const minify of [false, true]) {
  t.test(`an import with a pattern rejects if no file has the path${minify ? ', minified' : ''}`, async (t) => {
    const dir = t.testdir({
      'in.js': SOURCE,
      texts: { 'en.js': 'export const hello = "Hello"\n' },
      late: { 'en.js': 'export const hello = await "Later"\n' },
    })
    const { outputFiles } = await build({
      entryPoints: [join(dir, 'in.js')],
      bundle: true,
      format: 'esm',
      outdir: dir,
      minify,
      sourcemap: 'external',
      write: false,
      logLevel: 'silent',
    })
    const [map, code] = outputFiles.map(({ text }) => text)
    const script = rejectUnmatched({ code: code ?? '', map: JSON.parse(map ?? '') as EncodedSourceMap })
    const file = join(dir, 'out.mjs')
    writeFileSync(file, script.code)
    const { later, now, waiting, fail } = await import(pathToFileURL(file).href)
    t.equal((await later('en')).hello, 'Hello')
    t.equal(now('en').hello, 'Hello')
    t.equal((await waiting('en')).hello, 'Later')
    await t.rejects(waiting('xx'), { message: 'Module not found in bundle: ./late/xx.js' })
    await t.rejects(later('xx'), { message: 'Module not found in bundle: ./texts/xx.js' })
    t.throws(() => now('xx'), { message: 'Module not found in bundle: ./texts/xx.js' })
    // The error of the function has its place in the source.
    const { stack } = t.throws(fail) as Error
    const [, line, column] = /out\.mjs:(\d+):(\d+)/.exec(stack ?? '') ?? []
    const trace = new TraceMap(script.map as EncodedSourceMap)
    t.match(originalPositionFor(trace, { line: Number(line), column: Number(column) - 1 }), { line: 4, column: 31 })
  })
}

t.test('a script without such imports is not changed', async (t) => {
  const script = { code: 'throw new Error("Module not found in bundle: ")', map: null }
  t.equal(rejectUnmatched(script), script)
})

t.test('a word of a million characters takes no longer than other code', async (t) => {
  const code = `export const image = "${'a'.repeat(1_000_000)}"\n`
  t.equal(rejectUnmatched({ code, map: null }).code, code)
})
