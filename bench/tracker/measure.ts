import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plan } from '../arguments.ts'
import { Asker } from '../asker.ts'
import { versionIn } from '../compare/peer.ts'
import { HYDRANT, INSTALLED_CLI, installHydrant, TARBALL } from '../compare/workspace.ts'
import { askPage } from '../http.ts'
import { CLI } from '../paths.ts'
import { pinServers } from '../pinned-servers.ts'
import { readProcessorSeconds } from '../process-tree.ts'
import { runCommand } from '../run-command.ts'
import type { ServerProcess } from '../server-process.ts'
import { BEFORE_TURN_MS, CONNECTIONS } from '../turns.ts'
import { writeApp } from '../write-app.ts'
import { chooseFrameworks, type Framework, folderOf, SERVED } from './frameworks.ts'
import { TRACKER_APP } from './sources.ts'

export interface TrackerFigures {
  servers: Readonly<Record<string, { versions: Readonly<Record<string, string>> }>>
  figures: readonly TrackerFigure[]
}

export interface TrackerFigure {
  title: string
  unit: string
  isMoreBetter: boolean
  /** The samples of each server, one item per round. */
  samples: Record<string, number[]>
}

interface TrackerRun {
  clone: string
  names: readonly string[] | null
  plan: Plan
  note: (text: string) => void
  /** Receives everything that could not be measured. */
  onProblem: (text: string) => void
}

/** Adds Hydrant to a clone of framework-tracker and compares it with other frameworks that are built there. */
export async function measureTracker(run: TrackerRun): Promise<TrackerFigures> {
  const { clone, names, note } = run
  note('hydrant: install and build')
  await addHydrant(clone)
  const frameworks = [OWN, ...chooseFrameworks(clone, names)]
  const servers = frameworks.map(({ name, app, frameworkPackage }) => {
    const version = versionIn(join(folderOf(clone, app), 'node_modules', frameworkPackage))
    return [name, { versions: { [frameworkPackage]: version } }] as const
  })
  const figures: TrackerFigure[] = []
  const add = (title: string, unit: string, name: string, value: number) => {
    const known = figures.find((figure) => figure.title === title)
    const figure = known ?? { title, unit, isMoreBetter: unit === 'requests/s', samples: {} }
    if (!known) figures.push(figure)
    figure.samples[name] = [...(figure.samples[name] ?? []), value]
  }
  await measureStarters(frameworks, run, add)
  await measureLoad(frameworks, run, add)
  return { servers: Object.fromEntries(servers), figures }
}

type Add = (title: string, unit: string, server: string, value: number) => void

const OWN: Framework = {
  ...{ name: HYDRANT, frameworkPackage: HYDRANT },
  starter: { package: 'starter-hydrant', buildOutputDir: '.hydrant' },
  app: { package: 'app-hydrant', buildOutputDir: '.hydrant' },
}
const NPM_INSTALL = ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'] as const
const NPM_BUILD = ['npm', 'run', 'build'] as const

async function addHydrant(clone: string) {
  const [app, starter] = [folderOf(clone, OWN.app), folderOf(clone, OWN.starter)]
  writeApp(app, TRACKER_APP, new Map())
  await installHydrant(app, OWN.app.package)
  await runCommand(NPM_BUILD, { dir: app, log: join(app, 'build.log') })
  rmSync(starter, { recursive: true, force: true })
  execFileSync(process.execPath, [CLI, 'create', starter], { stdio: ['ignore', 'ignore', 'inherit'] })
  const manifest = join(starter, 'package.json')
  const tarball = `file:../${OWN.app.package}/${TARBALL}`
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/("hydrant": )"[^"]+"/, `$1"${tarball}"`))
  await runCommand(NPM_INSTALL, { dir: starter, log: join(starter, 'install.log') })
}

/** Measures the installed packages and the builds of the starters, which take turns. */
async function measureStarters(
  frameworks: readonly Framework[],
  { clone, plan, note, onProblem }: TrackerRun,
  add: Add,
) {
  const installed = frameworks.filter(({ name, starter }) => {
    const dir = folderOf(clone, starter)
    if (existsSync(join(dir, 'node_modules'))) return true
    onProblem(`the starter of ${name} is not installed: run npm install in ${dir}`)
    return false
  })
  for (let round = 1; round <= plan.repeats; round++) {
    for (const { name, starter } of installed) {
      const dir = folderOf(clone, starter)
      note(`${name}: build ${round} of the starter`)
      rmSync(join(dir, starter.buildOutputDir), { recursive: true, force: true })
      add('starter: build', 's', name, (await runCommand(NPM_BUILD, { dir, log: join(dir, 'build.log') })).ms / 1e3)
    }
  }
  for (const { name, starter } of installed) {
    const dir = folderOf(clone, starter)
    const modules = sizeUp(join(dir, 'node_modules'))
    add('starter: output', 'kB', name, sizeUp(join(dir, starter.buildOutputDir)).bytes / 1e3)
    add('starter: node_modules', 'MB', name, modules.bytes / 1e6)
    add('starter: installed packages', 'packages', name, modules.packages)
  }
}

/** Returns the size of the files in a folder, and the number of packages among them. Links are not followed. */
function sizeUp(folder: string): { bytes: number; packages: number } {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const isPackage = /node_modules\/(?:@[^/]+\/)?[^/]+$/
  return {
    bytes: files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0),
    packages: files.filter(({ parentPath, name }) => name === 'package.json' && isPackage.test(parentPath)).length,
  }
}

/** The tracker's pages of 1,000 rows. */
const PAGES = { '1,000 rows': '/ssr-throughput', '1,000 rows with links': '/server-side-rendered' }
const ROWS = 1_000
/** The tracker asks for pages that are not compressed. */
const HEADERS = { Accept: 'text/html,application/xhtml+xml' }

/** Measures the apps, each on the same core, in rounds. Every second round runs backwards. */
async function measureLoad(frameworks: readonly Framework[], { clone, plan, note }: TrackerRun, add: Add) {
  const pinned = pinServers()
  try {
    const servers: [name: string, server: ServerProcess][] = []
    for (const { name, app } of frameworks) {
      const words = SERVED[name] ?? [INSTALLED_CLI, 'start']
      servers.push([name, await pinned.start(name, PAGES['1,000 rows'], words, { dir: folderOf(clone, app) })])
    }
    for (const [title, path] of Object.entries(PAGES)) {
      note(`${title}: warm-up`)
      for (const [name, server] of servers) {
        add(`${title}: document`, 'kB', name, (await readRows(server.url + path)).length / 1e3)
        await saturate(server, path, plan.warmupSeconds * 1e3)
      }
      for (let round = 1; round <= plan.turns; round++) {
        note(`${title}: round ${round}`)
        for (const [name, server] of round % 2 === 0 ? servers.toReversed() : servers) {
          const { perSecond, processorMs } = await saturate(server, path, plan.seconds * 1e3)
          add(`${title}: load`, 'requests/s', name, perSecond)
          add(`${title}: processor time`, 'ms', name, processorMs)
        }
      }
    }
  } finally {
    await pinned.stop()
  }
}

/** Returns a page. Throws unless it has all rows. */
async function readRows(url: string): Promise<Buffer> {
  const { body } = await askPage(url)
  const rows = body.toString().split('<tr').length - 1
  if (rows !== ROWS) throw new Error(`${url} has ${rows} rows instead of ${ROWS}`)
  return body
}

/** Requests a page over new connections, because a server closes those that rest while others have their turn. */
async function saturate({ url, pid }: ServerProcess, path: string, ms: number) {
  const asker = await Asker.connect(url, CONNECTIONS, HEADERS)
  await asker.saturate(path, BEFORE_TURN_MS)
  const [begin, before] = [performance.now(), readProcessorSeconds(pid)]
  await asker.saturate(path, ms)
  // With the last responses: some servers send those of all connections together.
  const perSecond = asker.answered / ((performance.now() - begin) / 1e3)
  const processorMs = ((readProcessorSeconds(pid) - before) * 1e3) / asker.answered
  asker.close()
  return { perSecond, processorMs }
}
