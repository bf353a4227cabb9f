import { existsSync, readFileSync } from 'node:fs'
import { arch, availableParallelism, release, totalmem, type } from 'node:os'
import { dirname, join } from 'node:path'

type Env = Record<string, string | undefined>

/** Describes the machine and the process: the system, the package manager, NODE_ENV. */
export function describeSystem(siteDir: string, env: Env): Record<string, string> {
  return {
    os: [`${type()} ${release()} ${arch()}`, findDistribution(), findLibc()].filter(Boolean).join(', '),
    processors: String(availableParallelism()),
    memory: `${(totalmem() / 2 ** 30).toFixed(1)} GiB`,
    container: findContainer(env) ?? 'no',
    'package manager': [findManager(env), findLockFile(siteDir)].filter(Boolean).join(', ') || 'unknown',
    NODE_ENV: env.NODE_ENV ?? 'not set',
  }
}

function findDistribution(): string | undefined {
  return /^PRETTY_NAME="?([^"\n]+)/m.exec(readOr('/etc/os-release'))?.[1]
}

/** Packages with native code differ by the C library. */
function findLibc(): string | undefined {
  if (process.platform !== 'linux') return undefined
  // Without this, the report looks up the name of each connection. Older versions of Node.js ignore it.
  Reflect.set(process.report, 'excludeNetwork', true)
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  const version = header?.glibcVersionRuntime
  return version === undefined ? 'musl' : `glibc ${version}`
}

/** Returns the kind of container in which the process runs; null when there is no sign of one. */
export function findContainer(env: Env, exists: (path: string) => boolean = existsSync): string | null {
  if (env.KUBERNETES_SERVICE_HOST !== undefined) return 'Kubernetes'
  if (exists('/.dockerenv')) return 'Docker'
  if (exists('/run/.containerenv')) return 'Podman'
  return env.container ? env.container : null
}

/** Returns the package manager that runs the command: `npm 10.8.2`. */
function findManager({ npm_config_user_agent: agent = '' }: Env): string | undefined {
  return /^([\w-]+)\/([\w.-]+)/.exec(agent)?.slice(1).join(' ')
}

const LOCK_FILES = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb', 'deno.lock']

function findLockFile(folder: string): string | undefined {
  const found = LOCK_FILES.find((name) => existsSync(join(folder, name)))
  const parent = dirname(folder)
  return found ?? (parent === folder ? undefined : findLockFile(parent))
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
