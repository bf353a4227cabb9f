// Compares Hydrant with other servers: `npm run bench -- PEERS_FOLDER [options of its bench.mjs]`.
//
// The peers' folder contains one folder per server and the runner `bench.mjs`. The script copies it to a temporary
// folder and adds Hydrant as users get it: packed, installed, built and started by its command.

import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

const [folder, ...options] = process.argv.slice(2)
if (folder === undefined || !existsSync(join(folder, 'bench.mjs'))) {
  console.error('Error: expected the folder of the peers, with bench.mjs in it; got %s', folder ?? 'nothing')
  console.error('Try: npm run bench -- ../peers --install --build')
  process.exit(2)
}

const work = join(tmpdir(), 'hydrant-bench')
cpSync(folder, work, { recursive: true, filter: (source) => !source.includes('node_modules') })
execFileSync('chmod', ['-R', 'u+w', work])
const peer = join(work, 'hydrant')
installHydrant(peer)
const { status } = spawnSync(process.execPath, ['bench.mjs', ...options, '--add', peer], {
  cwd: work,
  stdio: 'inherit',
})
const results = join(work, 'results.md')
if (status === 0 && existsSync(results)) cpSync(results, join(ROOT, 'bench', 'results.md'))
process.exitCode = status ?? 1

function installHydrant(peer: string) {
  mkdirSync(peer, { recursive: true })
  cpSync(join(ROOT, 'bench', 'site', 'pages'), join(peer, 'pages'), { recursive: true })
  const [packed] = JSON.parse(npm(ROOT, 'pack', '--json', '--ignore-scripts', '--pack-destination', peer))
  renameSync(join(peer, packed.filename), join(peer, 'hydrant.tgz'))
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const { fastify, react, 'react-dom': reactDom } = devDependencies
  const manifest = {
    name: 'peer-hydrant',
    private: true,
    type: 'module',
    scripts: {
      build: 'hydrant build',
      start: 'NODE_ENV=production node node_modules/hydrant/dist/scripts/cli.js start',
    },
    bench: { clean: ['.hydrant'] },
    dependencies: { hydrant: 'file:hydrant.tgz', fastify, react, 'react-dom': reactDom },
  }
  writeFileSync(join(peer, 'package.json'), JSON.stringify(manifest, null, 2))
  npm(peer, 'install', '--no-audit', '--no-fund')
  npm(peer, 'run', 'build')
}

function npm(cwd: string, ...words: string[]): string {
  return execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
