// The packages of others that the documents use.

import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { folderOf, installOnce } from '../../install-once.ts'

/** Each package with the version that its document names, or the newest major version. */
export const PACKAGES: Readonly<Record<string, string>> = {
  '@ant-design/cssinjs': '^2',
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
  '@opentelemetry/instrumentation-pg': '^0.77',
  '@opentelemetry/instrumentation-undici': '^0.34',
  '@opentelemetry/sdk-logs': '^3',
  '@opentelemetry/sdk-node': '^0.301',
  '@opentelemetry/sdk-trace': '^3',
  '@playwright/test': '^1.65',
  '@sentry/node': '^11',
  '@tailwindcss/node': '^4',
  '@tailwindcss/oxide': '^4',
  '@types/hast': '^3',
  '@testing-library/dom': '^10',
  '@testing-library/react': '^16',
  '@testing-library/user-event': '^14',
  '@types/mdx': '^2',
  '@types/passport-local': '^1',
  // That of `pg` here, because drizzle-orm would find the one that the instrumentation needs.
  '@types/pg': '^8',
  autoprefixer: '^10',
  'drizzle-orm': '^0.45',
  'esbuild-plugin-svgr': '^3',
  'estree-util-value-to-estree': '^3',
  'hast-util-to-string': '^3',
  // Newer versions do not support Node.js 20.
  jsdom: '^29',
  lightningcss: '^1',
  minisearch: '^7',
  'oxc-transform-react': '~0.157.0',
  'passport-local': '^1',
  postcss: '^8',
  'rehype-highlight': '^7',
  'rehype-slug': '^6',
  'remark-frontmatter': '^5',
  'remark-gfm': '^4',
  'remark-mdx-frontmatter': '^6',
  sass: '^1',
  sharp: '~0.35.5',
  'styled-components': '^6',
  tailwindcss: '^4',
  'unist-util-mdx-define': '^1',
  // Newer versions do not support Node.js 20.
  vitest: '^4',
  zod: '^4',
}

const NAME = 'documented-packages'
const FOLDER = folderOf(NAME, PACKAGES)

/** Installs the packages once for each list of versions. */
export async function installDocumentedPackages(): Promise<void> {
  await installOnce(NAME, PACKAGES)
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
