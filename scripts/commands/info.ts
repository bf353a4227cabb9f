import { resolve } from 'node:path'
import { VERSION } from '../../src/server/build-output/read-build.ts'
import { createEnvFiles } from '../../src/server/options/env-files.ts'
import { resolveOptions } from '../../src/server/options/resolve-options.ts'
import { messageOf } from '../../src/server/util/message-of.ts'
import { describeLedger } from '../info/describe-ledger.ts'
import { describeEsbuild, describeOptions } from '../info/describe-options.ts'
import { describeSite, type SiteFacts } from '../info/describe-site.ts'
import { describeSystem } from '../info/describe-system.ts'
import { describeVersion } from '../installed-version.ts'
import type { Terminal } from '../terminal/terminal.ts'

type Env = Record<string, string | undefined>
type Info = Record<'versions' | 'system' | 'site' | 'options' | 'ledger', Record<string, string>>

const PACKAGES = ['react', 'react-dom', 'fastify', 'esbuild', 'typescript', '@photostructure/sqlite', 'pg']

/** Runs `hydrant info`: prints the facts that a report of a bug needs, without secrets. */
export async function runInfo(
  dir: string,
  { json = false }: { json?: boolean },
  { stdout, env }: Terminal,
): Promise<void> {
  createEnvFiles(dir, 'production', env).load()
  const info = await gatherInfo(resolve(dir), env)
  stdout.write(`${json ? JSON.stringify(info, null, 2) : formatInfo(info)}\n`)
}

async function gatherInfo(dir: string, env: Env): Promise<Info> {
  const packages = PACKAGES.map((name) => [name, describeVersion(name, dir)] as const)
  const { facts, config } = await describeSite(dir)
  return {
    versions: { hydrant: VERSION, node: process.versions.node, ...Object.fromEntries(packages) },
    system: describeSystem(dir, env),
    site: facts,
    ...(await describeSettings(dir, env, config)),
  }
}

async function describeSettings(
  dir: string,
  env: Env,
  config: SiteFacts['config'],
): Promise<Pick<Info, 'options' | 'ledger'>> {
  try {
    const options = resolveOptions({ env, config: config?.config ?? {} })
    return {
      options: { ...describeOptions(options), ...(config ? describeEsbuild(config.options) : {}) },
      ledger: await describeLedger(dir, options),
    }
  } catch (error) {
    // The errors about options hide secrets themselves.
    return { options: { error: messageOf(error) }, ledger: {} }
  }
}

const TITLES: Record<keyof Info, string> = {
  versions: 'Versions',
  system: 'System',
  site: 'Site',
  options: 'Options that differ from the default',
  ledger: 'Ledger',
}

/** Formats the facts as Markdown. */
function formatInfo(info: Info): string {
  const sections = Object.entries(TITLES).map(([name, title]) => {
    const facts = Object.entries(info[name as keyof Info])
    const lines = facts.map(([fact, value]) => `- ${fact}: ${value.replace(/\s+/g, ' ')}`)
    return [`### ${title}`, '', ...(lines.length > 0 ? lines : ['- none'])].join('\n')
  })
  return sections.join('\n\n')
}
