// Measures the time from an edit to its paint in `hydrant dev`: `npm run bench:edit`. docs/maintaining/benchmarks.md describes it.
//
// It generates a site and a Vite app with the same components, opens both in Chromium, and changes their files in
// turns. It knows nothing about either server except the texts that the page shows. It needs Linux, because it reads
// `/proc`, and `setpriv` (Debian package util-linux).

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CHROMIUM_SHELL, installTools } from '../test/tools.ts'
import { versionIn } from './compare/peer.ts'
import { KINDS, type Kind } from './edit/kinds.ts'
import { type Measured, toMarkdown } from './edit/report.ts'
import { endSession, makeEdits, type Session, startSession } from './edit/session.ts'
import { GROUP } from './edit/sources.ts'
import { createHydrant, createVite } from './edit/subjects.ts'
import { ROOT } from './paths.ts'

const BROWSER_ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
]

type Arguments = ReturnType<typeof readArguments>

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

function readArguments(args: readonly string[]) {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ components: text, pages: text, shown: text, edits: text, kinds: text },
      ...{ work: text, out: text, chromium: text, 'no-vite': { type: 'boolean' } },
    },
  })
  const listOf = (name: string, list: string, unit: number) => list.split(',').map((item) => count(name, item, unit))
  const components = listOf('components', values.components ?? '100', GROUP)
  const pages = listOf('pages', values.pages ?? '10', 1)
  const shown = count('shown', values.shown ?? '100', GROUP)
  return {
    sizes: components.flatMap((components) => pages.map((pages) => ({ components, pages, shown }))),
    kinds: values.kinds?.split(',').map(findKind) ?? KINDS,
    edits: count('edits', values.edits ?? '20', 1),
    withVite: values['no-vite'] !== true,
    work: values.work ?? join(tmpdir(), 'hydrant-bench-edit'),
    out: values.out,
    chromium: values.chromium,
  }
}

function count(name: string, value: string, unit: number): number {
  const number = Number(value)
  if (Number.isInteger(number) && number >= unit && number % unit === 0) return number
  throw new Error(`--${name} must be a ${unit === 1 ? 'whole number from 1' : `multiple of ${unit}`}; got "${value}"`)
}

function findKind(name: string): Kind {
  const kind = KINDS.find((kind) => kind.name === name)
  if (kind) return kind
  throw new Error(`--kinds must be some of ${KINDS.map(({ name }) => name).join(', ')}; got "${name}"`)
}

async function run({ sizes, kinds, edits, withVite, work, out, chromium: program }: Arguments) {
  mkdirSync(work, { recursive: true })
  const vite = withVite ? installVite(work) : null
  if (program === undefined) await installTools()
  const folder = mkdtempSync(join(work, 'apps-'))
  // Wrong usage is an error at once, before this module is loaded.
  const { chromium } = await import('playwright-core')
  const browser = await chromium.launch({ executablePath: program ?? CHROMIUM_SHELL, args: BROWSER_ARGUMENTS })
  const measured: Measured[] = []
  try {
    for (const size of sizes) {
      const subjects = [createHydrant(join(folder, 'hydrant'), size)]
      if (vite !== null) subjects.push(createVite(join(folder, 'vite'), size, vite))
      const sessions: Session[] = []
      try {
        for (const subject of subjects) sessions.push(await startSession(browser, subject))
        for (const kind of kinds) {
          console.error(`${size.components} components, ${size.pages} pages: edits of ${kind.name}`)
          measured.push({ size, kind, results: await makeEdits(sessions, kind, edits) })
        }
      } finally {
        for (const session of sessions) await endSession(session)
      }
    }
  } finally {
    const versions = [...listVersions(vite), `Chromium ${browser.version()}`, `${cpus().length} cores`]
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
    // After a failure, these are the figures so far.
    const text = `${versions.join(', ')}\n\n${toMarkdown(measured)}`
    console.log(text)
    if (out !== undefined) writeFileSync(out, `${text}\n`)
  }
}

/**
 * Installs Vite, its React plugin and the versions of React that Hydrant's own site uses, and returns their
 * `node_modules`. A folder that already has them is used as it is.
 */
function installVite(work: string): string {
  const folder = join(work, 'vite')
  const dependencies: Record<string, string> = { vite: '^8.0.0', '@vitejs/plugin-react': '^6.0.0' }
  for (const name of ['react', 'react-dom']) dependencies[name] = versionIn(join(ROOT, 'node_modules', name))
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies }, null, 2)
  const manifestFile = join(folder, 'package.json')
  const modules = join(folder, 'node_modules')
  const isWhole = Object.keys(dependencies).every((name) => existsSync(join(modules, name, 'package.json')))
  if (!isWhole || readFileSync(manifestFile, 'utf8') !== manifest) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(manifestFile, manifest)
    const env = { ...process.env, NODE_ENV: 'development' }
    execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, env, stdio: ['ignore', 2, 2] })
  }
  return modules
}

/** Lists the versions of everything that takes part, for the report. */
function listVersions(vite: string | null): string[] {
  const names = vite === null ? [] : ['vite', '@vitejs/plugin-react']
  return [
    `Node.js ${process.version}`,
    `Hydrant ${versionIn(ROOT)}`,
    `react ${versionIn(join(ROOT, 'node_modules/react'))}`,
    ...names.map((name) => `${name} ${versionIn(join(vite ?? '', name))}`),
  ]
}
