// The packages of others that the documents use.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { createUserEnv } from '../../user-env.ts'

const run = promisify(execFile)

/** Each package with the version that its document names, or the newest major version. */
export const PACKAGES: Readonly<Record<string, string>> = {
  '@fastify/cookie': '^11',
  '@fastify/cors': '^11',
  '@fastify/jwt': '^10',
  '@fastify/session': '^11',
  '@fastify/swagger': '^9',
  '@fastify/under-pressure': '^9',
  '@fastify/websocket': '^11',
  '@opentelemetry/api': '^1.10',
  '@opentelemetry/exporter-logs-otlp-http': '^0.301',
  '@opentelemetry/sdk-logs': '^3',
  '@opentelemetry/sdk-node': '^0.301',
  '@sentry/node': '^11',
  '@tailwindcss/node': '^4',
  '@tailwindcss/oxide': '^4',
  'esbuild-plugin-svgr': '^3',
  tailwindcss: '^4',
  zod: '^4',
}

/** Below the project, so that these packages find the project's Fastify and esbuild. */
const FOLDER = resolve('.build/documented-packages')
const MANIFEST = join(FOLDER, 'package.json')
const INSTALLED = join(FOLDER, 'installed.json')

/** Installs the packages once for each list of versions. */
export async function installDocumentedPackages(): Promise<void> {
  const manifest = JSON.stringify({ private: true, dependencies: PACKAGES })
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === manifest) return
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(MANIFEST, manifest)
  const words = ['--prefer-offline', '--no-audit', '--no-fund', '--silent', '--ignore-scripts', '--legacy-peer-deps']
  await run('npm', ['install', ...words], { cwd: FOLDER, env: createUserEnv() })
  writeFileSync(INSTALLED, manifest)
}

/** Makes the packages available to the files of a folder. */
export function linkDocumentedPackages(dir: string): void {
  for (const name of Object.keys(PACKAGES)) {
    const link = join(dir, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(FOLDER, 'node_modules', name), link)
  }
}
