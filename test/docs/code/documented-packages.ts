// The packages of others that the documents use.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { createUserEnv } from '../../user-env.ts'

const run = promisify(execFile)

/** Each package with the version that its document names, or the newest major version. */
export const PACKAGES: Readonly<Record<string, string>> = {
  '@fastify/cookie': '^11',
  '@fastify/cors': '^11',
  '@fastify/jwt': '^10',
  '@fastify/otel': '^0.21',
  '@fastify/passport': '^4',
  '@fastify/secure-session': '^8',
  '@fastify/session': '^11',
  '@fastify/swagger': '^9',
  '@fastify/under-pressure': '^9',
  '@fastify/websocket': '^11',
  '@mdx-js/esbuild': '^3',
  '@opentelemetry/api': '^1.10',
  '@opentelemetry/context-async-hooks': '^3',
  '@opentelemetry/exporter-logs-otlp-http': '^0.301',
  '@opentelemetry/exporter-trace-otlp-http': '^0.301',
  '@opentelemetry/sdk-logs': '^3',
  '@opentelemetry/sdk-node': '^0.301',
  '@opentelemetry/sdk-trace': '^3',
  '@playwright/test': '^1.65',
  '@sentry/node': '^11',
  '@tailwindcss/node': '^4',
  '@tailwindcss/oxide': '^4',
  '@testing-library/dom': '^10',
  '@testing-library/react': '^16',
  '@testing-library/user-event': '^14',
  '@types/mdx': '^2',
  '@types/passport-local': '^1',
  autoprefixer: '^10',
  'esbuild-plugin-svgr': '^3',
  // Newer versions do not support Node.js 20.
  jsdom: '^29',
  lightningcss: '^1',
  'oxc-transform-react': '~0.157.0',
  'passport-local': '^1',
  postcss: '^8',
  'remark-frontmatter': '^5',
  'remark-mdx-frontmatter': '^6',
  sass: '^1',
  tailwindcss: '^4',
  // Newer versions do not support Node.js 20.
  vitest: '^4',
  zod: '^4',
}

const MANIFEST = JSON.stringify({ private: true, dependencies: PACKAGES })

/** Below the project, so that these packages find the project's Fastify and esbuild. */
const FOLDER = resolve('.build/documented-packages', createHash('sha256').update(MANIFEST).digest('hex').slice(0, 8))

/** Installs the packages once for each list of versions. */
export async function installDocumentedPackages(): Promise<void> {
  if (existsSync(FOLDER)) return
  const draft = `${FOLDER}-${process.pid}`
  mkdirSync(draft, { recursive: true })
  writeFileSync(join(draft, 'package.json'), MANIFEST)
  const words = ['--prefer-offline', '--no-audit', '--no-fund', '--silent', '--ignore-scripts', '--legacy-peer-deps']
  await run('npm', ['install', ...words], { cwd: draft, env: createUserEnv() })
  try {
    // Renamed when complete, because another test file may install them at the same time.
    renameSync(draft, FOLDER)
  } catch (error) {
    if (!existsSync(FOLDER)) throw error
    rmSync(draft, { recursive: true })
  }
}

/** Says whether one of the installed packages has a program of this name. */
export function hasDocumentedProgram(name: string): boolean {
  return existsSync(join(FOLDER, 'node_modules/.bin', name))
}

/** Makes the packages available to the files of a folder. */
export function linkDocumentedPackages(dir: string, names: readonly string[] = Object.keys(PACKAGES)): void {
  for (const name of names) {
    const link = join(dir, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(FOLDER, 'node_modules', name), link)
  }
}
