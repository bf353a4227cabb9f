import { join } from 'node:path'
import { CLI } from '../paths.ts'
import { type Files, SITE_PACKAGES, writeApp } from '../write-app.ts'
import { FIRST, layoutSource, PLACES, pageSource, type Size, sharedFiles } from './sources.ts'

/** A development server with an app of a given size. */
export interface Subject {
  name: 'Hydrant' | 'Vite'
  /** The folder of the app. */
  dir: string
  /** The arguments of Node.js that start the server on `$HOST` and `$PORT`. */
  words: readonly string[]
  /** Writes the whole app into an empty folder. */
  create(): void
  /** Returns the source of the first page with an edited text. */
  page(text: string): string
  /** Returns the source of the layout with an edited text. */
  layout(text: string): string
}

export function createHydrant(dir: string, size: Size): Subject {
  const page = (text: string) => pageSource(size, 0, text, LOADED)
  const layout = (text: string) =>
    layoutSource(text, (contents) => `<html lang="en">\n      <head />\n      <body>${contents}</body>\n    </html>`)
  const files = { [LOAD]: loadSource(FIRST), [SERVER]: serverSource(FIRST) }
  const create = () => createApp({ dir, size, page, layout, files, packages: SITE_PACKAGES })
  return { name: 'Hydrant', dir, words: [CLI, 'dev', dir], create, page, layout }
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

/** @param modules The `node_modules` with Vite. */
export function createVite(dir: string, size: Size, modules: string): Subject {
  const page = (text: string) => pageSource(size, 0, text, null)
  const layout = (text: string) => layoutSource(text, (contents) => `<>${contents}</>`)
  const files = {
    'index.html': '<!doctype html>\n<div id="root"></div>\n<script type="module" src="/main.tsx"></script>\n',
    'main.tsx': mainSource(size),
    'vite.config.js': VITE_CONFIG,
  }
  const names = ['vite', '@vitejs/plugin-react', 'react', 'react-dom']
  const packages = new Map(names.map((name) => [name, join(modules, name)]))
  const create = () => createApp({ dir, size, page, layout, files, packages })
  return { name: 'Vite', dir, words: [join(modules, 'vite/bin/vite.js'), dir], create, page, layout }
}

interface App extends Pick<Subject, 'dir' | 'page' | 'layout'> {
  size: Size
  files: Files
  packages: ReadonlyMap<string, string>
}

function createApp({ dir, size, page, layout, files, packages }: App) {
  const shared = { ...sharedFiles(size), [PLACES.page]: page(FIRST), [PLACES.layout]: layout(FIRST) }
  for (let index = 1; index < size.pages; index++) {
    shared[`pages/page-${index}.tsx`] = pageSource(size, index, FIRST, null)
  }
  writeApp(dir, { ...shared, ...files }, packages)
}

const VITE_CONFIG = `import react from '@vitejs/plugin-react'

const { HOST: host, PORT: port } = process.env

export default { plugins: [react()], clearScreen: false, server: { host, port: Number(port), strictPort: true } }
`

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
