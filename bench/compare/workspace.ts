import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createPackage } from '../../test/package/pack.ts'
import { ROOT } from '../paths.ts'
import { RUNNER_FILES } from '../requirements.ts'
import { runCommand } from '../run-command.ts'
import { buildPeer, listPeers, type Peer, readPeer } from './peer.ts'

export interface Workspace {
  /** The folder with the runner and all peers. */
  dir: string
  peers: readonly Peer[]
  /** The time of each peer's build. */
  buildMs: ReadonlyMap<string, number>
  /** The peers that are left out, and why. */
  problems: readonly string[]
}

interface Preparation {
  folder: string
  names: readonly string[] | null
  work: string
  note: (text: string) => void
}

export const HYDRANT = 'hydrant'
export const TARBALL = 'hydrant.tgz'
export const INSTALLED_CLI = 'node_modules/hydrant/dist/scripts/cli.js'

/** Copies the peers, adds Hydrant to them, and installs and builds all. A peer that fails is left out. */
export async function prepareWorkspace(preparation: Preparation): Promise<Workspace> {
  const { folder, names, work, note } = preparation
  const dir = join(work, 'peers')
  mkdirSync(dir, { recursive: true })
  for (const file of RUNNER_FILES) cpSync(join(folder, file), join(dir, file))
  const peers: Peer[] = []
  const buildMs = new Map<string, number>()
  const problems: string[] = []
  for (const name of [...(names ?? listPeers(folder)), HYDRANT]) {
    note(`${name}: install and build`)
    try {
      if (name === HYDRANT) await createHydrantPeer(join(dir, name))
      else await installPeer(join(folder, name), join(dir, name))
      const peer = readPeer(join(dir, name))
      buildMs.set(name, (await buildPeer(peer)).ms)
      peers.push(peer)
    } catch (error) {
      problems.push(`${name} is left out: ${error instanceof Error ? error.message : error}`)
    }
  }
  return { dir, peers, buildMs, problems }
}

async function installPeer(source: string, dir: string) {
  const log = `${dir}.install.log`
  const [modules, lock] = [join(dir, 'node_modules'), readText(join(source, 'package-lock.json'))]
  // The lock file that the installed packages belong to.
  const stamp = join(modules, '.benchmark-lock.json')
  if (readText(stamp) !== lock) rmSync(modules, { recursive: true, force: true })
  cpSync(source, dir, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
  if (!existsSync(modules) && existsSync(join(source, 'node_modules'))) {
    await runCommand(['cp', '--archive', '--reflink=auto', join(source, 'node_modules'), dir], { dir, log })
  }
  // The source may be read-only.
  await runCommand(['chmod', '-R', 'u+w', dir], { dir, log })
  if (!existsSync(modules)) await installPackages(dir, log, lock !== '')
  // A server without packages has no such folder.
  mkdirSync(modules, { recursive: true })
  writeFileSync(stamp, lock)
}

async function installPackages(dir: string, log: string, isLocked: boolean) {
  const flags = ['--no-audit', '--no-fund', '--include=dev']
  const install = () => runCommand(['npm', 'install', ...flags], { dir, log })
  if (!isLocked) await install()
  // A newer npm may find an older lock file incomplete: it may lack optional packages of other platforms.
  else await runCommand(['npm', 'ci', ...flags], { dir, log }).catch(install)
}

function readText(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

async function createHydrantPeer(dir: string) {
  rmSync(dir, { recursive: true, force: true })
  for (const folder of ['pages', 'components'])
    cpSync(join(ROOT, 'bench/site', folder), join(dir, folder), { recursive: true })
  await installHydrant(dir, 'peer-hydrant')
}

/** Makes a site of the current Hydrant as users get it: packed, installed, and started by its command. */
export async function installHydrant(dir: string, name: string) {
  const { tarball } = await createPackage(dir)
  renameSync(tarball, join(dir, TARBALL))
  // The cast is safe because npm documents the format.
  const { devDependencies } = JSON.parse(readText(join(ROOT, 'package.json'))) as {
    devDependencies: Record<string, string>
  }
  const { fastify, react, 'react-dom': reactDom } = devDependencies
  const manifest = {
    ...{ name, private: true, type: 'module' },
    scripts: { build: 'hydrant build', start: `NODE_ENV=production node ${INSTALLED_CLI} start` },
    bench: { clean: ['.hydrant'] },
    dependencies: { hydrant: `file:${TARBALL}`, fastify, react, 'react-dom': reactDom },
  }
  writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest, null, 2))
  const install = ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'] as const
  await runCommand(install, { dir, log: `${dir}.install.log` })
}
