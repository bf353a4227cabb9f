import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Programs that the tests use, each with the Debian package that brings it. */
const TOOLS = [
  { program: '/usr/bin/chromium', debianPackage: 'chromium' },
  { program: '/usr/sbin/nginx', debianPackage: 'nginx' },
  { program: '/usr/bin/curl', debianPackage: 'curl' },
  { program: '/usr/bin/wget', debianPackage: 'wget' },
  { program: '/usr/bin/python3', debianPackage: 'python3' },
]

export const CHROMIUM = '/usr/bin/chromium'
export const NGINX = '/usr/sbin/nginx'
export const CURL = '/usr/bin/curl'
export const WGET = '/usr/bin/wget'
export const PYTHON = '/usr/bin/python3'

/** Installs what is missing. Throws when that is not possible: no test is left out. */
export function installTools() {
  const missing = TOOLS.filter(({ program }) => !existsSync(program)).map(({ debianPackage }) => debianPackage)
  if (missing.length === 0) return
  console.log(`Installing ${missing.join(' and ')} with apt-get, once for this machine…`)
  if (spawnSync('apt-get', ['--version']).error) {
    throw new Error(`The tests need ${missing.join(' and ')}, and this machine has no apt-get. Install them by hand.`)
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...words: string[]) => execFileSync('apt-get', words, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  apt('update', '-qq')
  apt('install', '-y', '-qq', '--no-install-recommends', ...missing, 'fonts-dejavu-core')
  for (const { program, debianPackage } of TOOLS) {
    if (!existsSync(program)) throw new Error(`${debianPackage} is installed, but ${program} is not there.`)
  }
}
