import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { installedVersion, isFit } from '../src/server/ledger/sqlite/driver.ts'

/** The programs and fonts that the tests use, each with the Debian package that installs it. */
const TOOLS = [
  { program: '/usr/bin/chromium', debianPackage: 'chromium' },
  // The same without a browser's own windows, which take most of what opening a page takes.
  { program: '/usr/bin/chromium-headless-shell', debianPackage: 'chromium-headless-shell' },
  { program: '/usr/bin/firefox-esr', debianPackage: 'firefox-esr' },
  { program: '/usr/sbin/nginx', debianPackage: 'nginx' },
  { program: '/usr/sbin/haproxy', debianPackage: 'haproxy' },
  { program: '/usr/bin/caddy', debianPackage: 'caddy' },
  // The program without a server that starts by itself.
  { program: '/usr/sbin/apache2', debianPackage: 'apache2-bin' },
  { program: '/usr/bin/curl', debianPackage: 'curl' },
  { program: '/usr/bin/setpriv', debianPackage: 'util-linux' },
  // A terminal for the tests of what is written on one.
  { program: '/usr/bin/script', debianPackage: 'bsdutils' },
  { program: '/usr/bin/wget', debianPackage: 'wget' },
  { program: '/usr/bin/python3', debianPackage: 'python3' },
  // A font, which a machine with browsers may lack: the tests of layouts draw with it.
  { program: '/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf', debianPackage: 'fonts-dejavu-core' },
]

export const CHROMIUM = '/usr/bin/chromium'
export const CHROMIUM_SHELL = '/usr/bin/chromium-headless-shell'
export const FIREFOX = '/usr/bin/firefox-esr'
export const NGINX = '/usr/sbin/nginx'
export const HAPROXY = '/usr/sbin/haproxy'
export const CADDY = '/usr/bin/caddy'
export const APACHE = '/usr/sbin/apache2'
export const APACHE_LIBRARY = '/usr/lib/apache2/modules'
export const CURL = '/usr/bin/curl'
export const WGET = '/usr/bin/wget'
export const PYTHON = '/usr/bin/python3'

const POSTGRES_VERSIONS = '/usr/lib/postgresql'

/** The folder of PostgreSQL's programs, of the newest version that is there; null for none. */
export function findPostgres(): string | null {
  if (!existsSync(POSTGRES_VERSIONS)) return null
  const folders = readdirSync(POSTGRES_VERSIONS)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => `${POSTGRES_VERSIONS}/${version}/bin`)
  return folders.find((folder) => existsSync(`${folder}/initdb`)) ?? null
}

/** Installs what is missing. Throws when that is not possible: no test is left out. */
export function installTools() {
  const missing = TOOLS.filter(({ program }) => !existsSync(program)).map(({ debianPackage }) => debianPackage)
  if (findPostgres() === null) missing.push('postgresql')
  if (missing.length > 0) installPackages(missing)
  for (const { program, debianPackage } of TOOLS) {
    if (!existsSync(program)) throw new Error(`${debianPackage} is installed, but ${program} is not there.`)
  }
  if (findPostgres() === null) throw new Error(`postgresql is installed, but not in ${POSTGRES_VERSIONS}.`)
  installSqlite()
}

/** What compiles better-sqlite3 12. */
const COMPILER = [
  { program: '/usr/bin/g++', debianPackage: 'g++' },
  { program: '/usr/bin/make', debianPackage: 'make' },
  { program: '/usr/bin/python3', debianPackage: 'python3' },
]

// It is an optional dependency: where no binary could be fetched and there was no compiler, npm has left it out. The lockfile has
// the one for Node.js 20.
function installSqlite() {
  if (loadsSqlite()) return
  // With what development needs, which NODE_ENV=production would take away.
  const install = ['install', '--include=dev', '--include=optional', '--no-save', '--no-audit', '--no-fund']
  if (!isFit('12', process.versions.node)) return runNpm([...install, 'better-sqlite3@13'])
  const missing = COMPILER.filter(({ program }) => !existsSync(program)).map(({ debianPackage }) => debianPackage)
  if (missing.length > 0) installPackages(missing)
  console.log('Building better-sqlite3, once for this checkout…')
  const isThere = existsSync('node_modules/better-sqlite3')
  runNpm(isThere ? ['rebuild', 'better-sqlite3'] : install)
}

function runNpm(words: readonly string[]) {
  execFileSync('npm', words, { stdio: 'inherit' })
  if (!loadsSqlite()) throw new Error(`The tests need better-sqlite3, which cannot be loaded: npm ${words.join(' ')}`)
}

function loadsSqlite(): boolean {
  const version = installedVersion()
  if (version !== null && !isFit(version, process.versions.node)) return false
  const program = "new (require('better-sqlite3'))(':memory:').close()"
  return spawnSync(process.execPath, ['-e', program]).status === 0
}

function installPackages(missing: readonly string[]) {
  console.log(`Installing ${missing.join(' and ')} with apt-get, once for this machine…`)
  if (spawnSync('apt-get', ['--version']).error) {
    throw new Error(`The tests need ${missing.join(' and ')}, and this machine has no apt-get. Install them by hand.`)
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...words: string[]) => execFileSync('apt-get', words, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  apt('update', '-qq')
  apt('install', '-y', '-qq', '--no-install-recommends', ...missing)
}
