// The configurations of docs/proxies, as an operator uses them, with other ports and files.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { APACHE, APACHE_LIBRARY, CADDY, HAPROXY, NGINX } from '../tools.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts'
import { type Command, runProxy } from './run-proxy.ts'

/** The host that all of them serve. */
export const HOST = 'shop.example'

/** The servers behind a proxy. */
export interface Upstreams {
  /** Ports of two processes of the site at `/`. */
  first: number
  second: number
  /** The port of the site at `/shop`, whose base the proxy passes on. */
  shop: number
  /** The socket file of the site at `/docs`, whose base the proxy removes. */
  docs: string
}

interface Place extends Upstreams {
  folder: string
  http: number
  https: number
}

export interface DocumentedProxy {
  name: string
  /** The file name in docs/proxies. */
  file: string
  /** Whether the proxy ends its request when the visitor disconnects. Apache notices this only with the next byte. */
  noticesLeaving: boolean
  /** The texts to replace, and their replacements. */
  replace(place: Place): Readonly<Record<string, string>>
  command(folder: string, text: string): Command
  /** Changes settings for a test (none). */
  change?(text: string): string
}

export interface RunningProxy {
  httpPort: number
  httpsPort: number
}

export const PROXIES: readonly DocumentedProxy[] = [
  {
    name: 'nginx',
    file: 'nginx.conf',
    noticesLeaving: true,
    replace: ({ http, https, folder, ...upstreams }) => ({
      'listen 80;': `listen 127.0.0.1:${http};`,
      'listen 443 ssl': `listen 127.0.0.1:${https} ssl`,
      ...certificateFiles(folder),
      ...upstreamAddresses(upstreams),
    }),
    command: nginxCommand,
  },
  {
    name: 'HAProxy',
    file: 'haproxy.cfg',
    noticesLeaving: true,
    replace: ({ http, https, folder, ...upstreams }) => ({
      'bind :80\n': `bind 127.0.0.1:${http}\n`,
      'bind :443 ': `bind 127.0.0.1:${https} `,
      '/etc/ssl/shop.example.pem': join(folder, 'both.pem'),
      ...upstreamAddresses(upstreams),
    }),
    command: (folder, text) => ({
      program: HAPROXY,
      words: ['-db', '-f', join(folder, 'haproxy.cfg')],
      files: { 'haproxy.cfg': text },
    }),
  },
  {
    name: 'Caddy',
    file: 'Caddyfile',
    noticesLeaving: true,
    replace: ({ http, https, folder, ...upstreams }) => ({
      'http_port 80': `http_port ${http}`,
      'https_port 443': `https_port ${https}`,
      'admin localhost:2019': 'admin off\n\tdefault_bind 127.0.0.1',
      ...certificateFiles(folder),
      ...upstreamAddresses(upstreams),
    }),
    command: (folder, text) => ({
      program: CADDY,
      words: ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'],
      files: { Caddyfile: text },
    }),
  },
  {
    name: 'Apache',
    file: 'apache.conf',
    noticesLeaving: false,
    replace: ({ http, https, folder, ...upstreams }) => ({
      '<VirtualHost *:80>': `Listen 127.0.0.1:${http}\n<VirtualHost *:${http}>`,
      '<VirtualHost *:443>': `Listen 127.0.0.1:${https}\n<VirtualHost *:${https}>`,
      ...certificateFiles(folder),
      ...upstreamAddresses(upstreams),
    }),
    command: (folder, text) => ({
      program: APACHE,
      words: ['-DFOREGROUND', '-f', join(folder, 'main.conf')],
      files: { 'site.conf': text, 'main.conf': apacheMain(folder, text) },
    }),
  },
]

/** nginx as a cache in front of the server `first`. */
export const NGINX_CACHE: DocumentedProxy = {
  name: 'nginx as a cache',
  file: 'nginx-cache.conf',
  noticesLeaving: false,
  replace: ({ https, folder, first }) => ({
    'listen 443 ssl': `listen 127.0.0.1:${https} ssl`,
    '/var/cache/nginx/hydrant': join(folder, 'cache'),
    '127.0.0.1:3000': `127.0.0.1:${first}`,
    ...certificateFiles(folder),
  }),
  command: nginxCommand,
}

export async function startDocumented(
  t: Pick<Test, 'teardown'>,
  proxy: DocumentedProxy,
  upstreams: Upstreams,
): Promise<RunningProxy> {
  const original = readDocumented(proxy)
  const [httpPort = 0, httpsPort = 0] = await runProxy(t, 2, (folder, [http = 0, https = 0]) => {
    const replaced = replaceOnce(original, proxy.replace({ ...upstreams, folder, http, https }))
    const text = proxy.change?.(replaced) ?? replaced
    const { files, ...command } = proxy.command(folder, text)
    const certificates = {
      'certificate.pem': CERTIFICATE,
      'key.pem': CERTIFICATE_KEY,
      'both.pem': CERTIFICATE + CERTIFICATE_KEY,
    }
    return { ...command, files: { ...files, ...certificates } }
  })
  return { httpPort, httpsPort }
}

/** Returns the contents of the file. Tests run in the project's folder. */
export function readDocumented({ file }: DocumentedProxy): string {
  return readFileSync(join('docs/proxies', file), 'utf8')
}

function nginxCommand(folder: string, text: string): Command {
  return {
    program: NGINX,
    words: ['-p', folder, '-c', join(folder, 'main.conf'), '-e', 'stderr'],
    files: { 'site.conf': text, 'main.conf': nginxMain(folder, `include ${join(folder, 'site.conf')};`) },
  }
}

/** Wraps the contents of nginx's `http` block. */
export function nginxMain(folder: string, http: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  return `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${join(folder, 'nginx.pid')};
error_log stderr notice;
events { worker_connections 512; }
http {
  access_log off;
  ${temporary.join('\n  ')}
  ${http}
}
`
}

// Apache does not serve as root. The group of a socket file may write to it.
function apacheMain(folder: string, text: string): string {
  // The modules of every installation, and those that the file says to enable.
  const named = /a2enmod (.+)/.exec(text)?.[1]?.split(' ') ?? []
  const modules = ['mpm_event', 'authz_core', ...named].map(
    (name) => `LoadModule ${name}_module ${APACHE_LIBRARY}/mod_${name}.so`,
  )
  return `
ServerRoot ${folder}
ServerName localhost
PidFile ${join(folder, 'apache.pid')}
DefaultRuntimeDir ${folder}
Mutex posixsem
ErrorLog "|$cat >&2"
${process.getuid?.() === 0 ? 'User nobody\nGroup root' : ''}
${modules.join('\n')}
StartServers 1
Include ${join(folder, 'site.conf')}
`
}

function certificateFiles(folder: string): Record<string, string> {
  return {
    '/etc/ssl/shop.example/fullchain.pem': join(folder, 'certificate.pem'),
    '/etc/ssl/shop.example/privkey.pem': join(folder, 'key.pem'),
  }
}

function upstreamAddresses({ first, second, shop, docs }: Upstreams): Record<string, string> {
  return {
    '127.0.0.1:3000': `127.0.0.1:${first}`,
    '127.0.0.1:3001': `127.0.0.1:${second}`,
    '127.0.0.1:3002': `127.0.0.1:${shop}`,
    '/run/hydrant/docs.sock': docs,
  }
}

/**
 * Replaces a text. Throws unless it occurs exactly once: then the file has changed, and the test no longer runs it as
 * written.
 */
function replaceOnce(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((rest, [from, to]) => {
    const parts = text.split(from)
    if (parts.length !== 2) throw new Error(`${JSON.stringify(from)} stands ${parts.length - 1} times in the file.`)
    return rest.replace(from, () => to)
  }, text)
}
