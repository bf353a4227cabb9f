import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Installed } from './install.ts'
import { FIRST, type Files, layoutSource, PLACES, pageSource, type Size, sharedFiles } from './sources.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** A development server with an app of a given size. */
export interface Subject {
  name: 'Hydrant' | 'Vite'
  /** The folder of the app. */
  dir: string
  /** Writes the whole app into an empty folder, so that no cache of an earlier start is left. */
  create(): void
  /** Returns the arguments of Node.js that start the server. */
  command(port: number): string[]
  /** Returns the source of the first page with an edited text. */
  page(text: string): string
  /** Returns the source of the layout with an edited text. */
  layout(text: string): string
}

export function createHydrant(dir: string, size: Size): Subject {
  const page = (text: string) => pageSource(size, 0, text, LOADED)
  const layout = (text: string) =>
    layoutSource(text, (contents) => `<html lang="en">\n      <head />\n      <body>${contents}</body>\n    </html>`)
  return {
    ...{ name: 'Hydrant', dir, page, layout },
    create() {
      const files: Files = {
        ...{ ...sharedFiles(size), [PLACES.page]: page(FIRST), [PLACES.layout]: layout(FIRST) },
        ...{ [LOAD]: loadSource(FIRST), [SERVER]: serverSource(FIRST) },
        'tsconfig.json': '{ "compilerOptions": { "jsx": "react-jsx" } }\n',
        'package.json': '{ "private": true, "type": "module" }\n',
      }
      for (let index = 1; index < size.pages; index++) {
        files[`pages/page-${index}.tsx`] = pageSource(size, index, FIRST, null)
      }
      const modules = join(ROOT, 'node_modules')
      const packages = ['react', 'react-dom', 'fastify'].map((name) => [name, join(modules, name)] as const)
      writeApp(dir, files, new Map([['hydrant', ROOT], ...packages]))
    },
    command: (port) => [join(ROOT, 'dist/scripts/cli.js'), 'dev', dir, '--host', '127.0.0.1', '--port', String(port)],
  }
}

export const LOAD = 'pages/index.server.ts'
export const SERVER = 'server.ts'
const LOADED = '<p data-edit="load">{data.load}</p>\n      <p data-edit="server">{data.server}</p>'

export function loadSource(text: string): string {
  return `export function load({ app }: { app: { siteText: string } }) {
  return { load: '${text}', server: app.siteText }
}
`
}

export function serverSource(text: string): string {
  return `import type { FastifyInstance } from 'fastify'

export default async function server(app: FastifyInstance) {
  app.decorate('siteText', '${text}')
}
`
}

export function newPageSource(text: string): string {
  return `export default function NewPage() {\n  return <p data-edit="new-page">${text}</p>\n}\n`
}

export function createVite(dir: string, size: Size, installed: Installed): Subject {
  const page = (text: string) => pageSource(size, 0, text, null)
  const layout = (text: string) => layoutSource(text, (contents) => `<>${contents}</>`)
  return {
    ...{ name: 'Vite', dir, page, layout },
    create() {
      const files: Files = {
        ...{ ...sharedFiles(size), [PLACES.page]: page(FIRST), [PLACES.layout]: layout(FIRST) },
        'index.html': '<!doctype html>\n<div id="root"></div>\n<script type="module" src="/main.tsx"></script>\n',
        'main.tsx': mainSource(size),
        'vite.config.js':
          "import react from '@vitejs/plugin-react'\n\nexport default { plugins: [react()], clearScreen: false }\n",
        'tsconfig.json': '{ "compilerOptions": { "jsx": "react-jsx" } }\n',
        'package.json': '{ "private": true, "type": "module" }\n',
      }
      for (let index = 1; index < size.pages; index++) {
        files[`pages/page-${index}.tsx`] = pageSource(size, index, FIRST, null)
      }
      writeApp(dir, files, installed.packages)
    },
    command: (port) => [
      join(installed.folder, 'vite/bin/vite.js'),
      ...[dir, '--host', '127.0.0.1', '--port', String(port), '--strictPort'],
    ],
  }
}

/** Each page is a module of its own, which the browser loads when the page is opened. */
function mainSource({ pages }: Size): string {
  const routes = Array.from({ length: pages }, (_, index) =>
    index === 0
      ? "  '/': lazy(() => import('./pages/index.tsx')),\n"
      : `  '/page-${index}': lazy(() => import('./pages/page-${index}.tsx')),\n`,
  )
  return `import { lazy, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import Layout from './pages/layout.tsx'

const pages = {
${routes.join('')}}
const Page = pages[location.pathname as '/']

createRoot(document.getElementById('root') as HTMLElement).render(
  <Layout>
    <Suspense>
      <Page />
    </Suspense>
  </Layout>,
)
`
}

/** `packages` are the folders of the installed packages, by name. Each app has its own `node_modules` of links. */
function writeApp(dir: string, files: Files, packages: ReadonlyMap<string, string>) {
  rmSync(dir, { recursive: true, force: true })
  for (const [path, contents] of Object.entries(files)) {
    const file = join(dir, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, contents)
  }
  for (const [name, folder] of packages) {
    const link = join(dir, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(folder, link)
  }
}
