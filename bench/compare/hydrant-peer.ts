import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runCommand } from '../run-command.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** Makes a peer of the current Hydrant as users get it: packed, installed, and started by its command. */
export async function installHydrant(dir: string) {
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  for (const folder of ['pages', 'components']) {
    cpSync(join(ROOT, 'bench/site', folder), join(dir, folder), { recursive: true })
  }
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', dir]
  const output = execFileSync('npm', words, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  // The casts are safe because npm documents both formats.
  const [packed] = JSON.parse(output) as { filename: string }[]
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  renameSync(join(dir, packed?.filename ?? ''), join(dir, 'hydrant.tgz'))
  const { fastify, react, 'react-dom': reactDom } = devDependencies
  const manifest = {
    ...{ name: 'peer-hydrant', private: true, type: 'module' },
    scripts: {
      build: 'hydrant build',
      start: 'NODE_ENV=production node node_modules/hydrant/dist/scripts/cli.js start',
    },
    bench: { clean: ['.hydrant'] },
    dependencies: { hydrant: 'file:hydrant.tgz', fastify, react, 'react-dom': reactDom },
  }
  writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest, null, 2))
  const install = ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'] as const
  await runCommand(install, { dir, log: `${dir}.install.log` })
}
