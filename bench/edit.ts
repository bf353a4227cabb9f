// Measures the time from an edit to its paint in `hydrant dev`: `npm run bench:edit`. docs/development.md describes it.
//
// It generates a site and a Vite app with the same components, opens both in Chromium, and changes their files in
// turns. It knows nothing about either server except the texts that the page shows. It needs Linux, because it reads
// `/proc`, and `setpriv` (Debian package util-linux).

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { CHROMIUM_SHELL, installTools } from '../test/tools.ts'
import { type Arguments, readArguments } from './edit/arguments.ts'
import { installVite, listVersions } from './edit/install.ts'
import { createMeasured, measureSize } from './edit/measure-size.ts'
import { type Report, toMarkdown } from './edit/report.ts'
import { createHydrant, createVite } from './edit/subjects.ts'

const BROWSER_ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
]

const given = parse(process.argv.slice(2))
if (given) await run(given)

/** Returns null, with an exit code, for wrong usage. */
function parse(args: readonly string[]): Arguments | null {
  try {
    return readArguments(args)
  } catch (error) {
    console.error(`Error: ${error instanceof Error ? error.message : error}`)
    console.error('Try: npm run bench:edit -- --components 10,100 --pages 1 --kinds component,css --edits 20')
    process.exitCode = 2
    return null
  }
}

async function run({ sizes, withVite, work, out, chromium: program, ...plan }: Arguments) {
  mkdirSync(work, { recursive: true })
  const vite = withVite ? installVite(work) : null
  if (program === null) await installTools()
  const folder = mkdtempSync(join(work, 'apps-'))
  // Wrong usage is an error at once, before this module is loaded.
  const { chromium } = await import('playwright-core')
  const browser = await chromium.launch({ executablePath: program ?? CHROMIUM_SHELL, args: BROWSER_ARGUMENTS })
  const report: Report['sizes'][number][] = []
  try {
    for (const size of sizes) {
      const note = (text: string) => console.error(`${size.components} components, ${size.pages} pages: ${text}`)
      const subjects = [createHydrant(join(folder, 'hydrant'), size)]
      if (vite) subjects.push(createVite(join(folder, 'vite'), size, vite))
      const measured = subjects.map(createMeasured)
      report.push({ size, measured })
      await measureSize(browser, measured, plan, note)
    }
  } finally {
    const versions = [...listVersions(vite), `Chromium ${browser.version()}`, `${cpus().length} cores`]
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
    // After a failure, these are the figures so far.
    const text = toMarkdown({ versions, sizes: report })
    console.log(text)
    if (out !== null) writeFileSync(out, `${text}\n`)
  }
}
