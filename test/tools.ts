import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { BROWSER_MISSING, findBrowser } from './browser/find-browser.ts'

/** The programs and fonts that the tests use, each with the Debian package that installs it. */
const TOOLS = [
  { program: '/usr/bin/chromium', debianPackage: 'chromium' },
  // Chromium without windows, which take most of the time of opening a page.
  { program: '/usr/bin/chromium-headless-shell', debianPackage: 'chromium-headless-shell' },
  { program: '/usr/bin/firefox-esr', debianPackage: 'firefox-esr' },
  { program: '/usr/bin/WebKitWebDriver', debianPackage: 'webkit2gtk-driver' },
  // WebKit needs a display.
  { program: '/usr/bin/Xvfb', debianPackage: 'xvfb' },
  { program: '/usr/sbin/nginx', debianPackage: 'nginx' },
  { program: '/usr/sbin/haproxy', debianPackage: 'haproxy' },
  { program: '/usr/bin/caddy', debianPackage: 'caddy' },
  // This package does not start a server.
  { program: '/usr/sbin/apache2', debianPackage: 'apache2-bin' },
  { program: '/usr/bin/redis-server', debianPackage: 'redis-server' },
  // With promtool.
  { program: '/usr/bin/prometheus', debianPackage: 'prometheus' },
  { program: '/usr/bin/curl', debianPackage: 'curl' },
  { program: '/usr/bin/systemd-analyze', debianPackage: 'systemd' },
  { program: '/usr/bin/sqlite3', debianPackage: 'sqlite3' },
  { program: '/usr/bin/setpriv', debianPackage: 'util-linux' },
  // A terminal for the tests of what is written on one.
  { program: '/usr/bin/script', debianPackage: 'bsdutils' },
  { program: '/usr/bin/wget', debianPackage: 'wget' },
  // Runs programs of Windows.
  { program: '/usr/lib/wine/wine64', debianPackage: 'wine64' },
  { program: '/usr/bin/x86_64-w64-mingw32-gcc', debianPackage: 'gcc-mingw-w64-x86-64' },
  { program: '/usr/bin/python3', debianPackage: 'python3' },
  // A font that the layout tests use. A machine with browsers may lack it.
  { program: '/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf', debianPackage: 'fonts-dejavu-core' },
]

export const CHROMIUM = '/usr/bin/chromium'
export const CHROMIUM_SHELL = '/usr/bin/chromium-headless-shell'
export const FIREFOX = '/usr/bin/firefox-esr'
export const WEBKIT_DRIVER = '/usr/bin/WebKitWebDriver'
export const XVFB = '/usr/bin/Xvfb'
export const NGINX = '/usr/sbin/nginx'
export const HAPROXY = '/usr/sbin/haproxy'
export const CADDY = '/usr/bin/caddy'
export const APACHE = '/usr/sbin/apache2'
export const APACHE_LIBRARY = '/usr/lib/apache2/modules'
export const REDIS = '/usr/bin/redis-server'
export const PROMETHEUS = '/usr/bin/prometheus'
export const PROMTOOL = '/usr/bin/promtool'
export const CURL = '/usr/bin/curl'
export const SYSTEMD_ANALYZE = '/usr/bin/systemd-analyze'
export const WGET = '/usr/bin/wget'
export const PYTHON = '/usr/bin/python3'
export const WINE = '/usr/lib/wine/wine64'
export const MINGW = '/usr/bin/x86_64-w64-mingw32-gcc'

const run = promisify(execFile)

const POSTGRES_VERSIONS = '/usr/lib/postgresql'

/** Returns the folder with the programs of the newest installed PostgreSQL, or null. */
export function findPostgres(): string | null {
  if (!existsSync(POSTGRES_VERSIONS)) return null
  const folders = readdirSync(POSTGRES_VERSIONS)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => `${POSTGRES_VERSIONS}/${version}/bin`)
  return folders.find((folder) => existsSync(`${folder}/initdb`)) ?? null
}

/**
 * Installs Debian's Chromium if there is no browser. Rejects with what is missing and how to get it when that is not
 * possible.
 */
export async function installBrowser(): Promise<void> {
  if (findBrowser() !== null) return
  if (process.env.CHROMIUM) throw new Error(`CHROMIUM is ${process.env.CHROMIUM}, and there is no such file.`)
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).error) throw new Error(BROWSER_MISSING)
  await installPackages(['chromium'])
  if (findBrowser() === null) throw new Error(BROWSER_MISSING)
}

/** Says which Debian packages the tests of `--all` need, and which of them will be installed. */
export function describeTools(): string {
  const missing = findMissing()
  const names = [...TOOLS.map(({ debianPackage }) => debianPackage), 'postgresql'].join(', ')
  const plan =
    missing.length === 0 ? 'all are installed' : `apt-get will install ${missing.join(', ')}, which needs root`
  return `These tests use programs of the Debian packages ${names}: ${plan}.`
}

function findMissing(): string[] {
  const missing = TOOLS.filter(({ program }) => !existsSync(program)).map(({ debianPackage }) => debianPackage)
  return findPostgres() === null ? [...missing, 'postgresql'] : missing
}

/** Installs the programs that are missing. Rejects when that is not possible, because no test is skipped. */
export async function installTools(): Promise<void> {
  const missing = findMissing()
  if (missing.length > 0) await installPackages(missing)
  for (const { program, debianPackage } of TOOLS) {
    if (!existsSync(program)) throw new Error(`${debianPackage} is installed, but ${program} is not there.`)
  }
  if (findPostgres() === null) throw new Error(`postgresql is installed, but not in ${POSTGRES_VERSIONS}.`)
}

async function installPackages(missing: readonly string[]) {
  console.log(`Installing ${missing.join(' and ')} with apt-get, once for this machine…`)
  if (spawnSync('apt-get', ['--version']).error) {
    throw new Error(`The tests need ${missing.join(' and ')}, and this machine has no apt-get. Install them by hand.`)
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...words: string[]) => run('apt-get', words, { env, maxBuffer: Number.POSITIVE_INFINITY })
  await apt('update', '-qq')
  await apt('install', '-y', '-qq', '--no-install-recommends', ...missing)
}
