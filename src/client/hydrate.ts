import { startTransition } from 'react'
import { hydrateRoot, type Root, type RootOptions } from 'react-dom/client'
import {
  createAppTree,
  DefaultLayout,
  type ErrorComponent,
  type LayoutComponent,
  type NotFoundComponent,
  type PageComponent,
  type Tree,
  type TreeLeaf,
} from '../shared/app-tree.tsx'
import { BOOT_VARIABLE, type Boot, type BootLeaf, type BootQueue } from '../shared/boot.ts'
import { createDeferredPromises, revive, type Settlement } from '../shared/data.ts'
import type { Platform } from '../shared/platform.ts'
import { createDigestFinder } from './find-digest.ts'

const assets = new URL('.', import.meta.url)

/** Makes the document interactive: loads its modules, reads its data and lets React take over what stands there. */
export async function hydrate(scope: Window): Promise<Root> {
  // The server writes this variable, in `bootScript`.
  const queue = (scope as unknown as Record<typeof BOOT_VARIABLE, BootQueue>)[BOOT_VARIABLE]
  const deferred = createDeferredPromises()
  const [boot, ...settled] = queue
  settled.forEach(deferred.settle)
  queue.push = (settlement) => {
    // After the boot data only settlements are pushed.
    deferred.settle(settlement as Settlement)
    return 0
  }
  const tree = await loadTree(
    boot,
    boot.data.map((flat) => revive(flat, deferred.promised)),
  )
  const seenHost = location.hostname
  const platform: Platform = {
    side: 'client',
    host: boot.host ?? seenHost,
    search: location.search,
    findDigest: createDigestFinder(document),
    reload: () => location.reload(),
  }
  return new Promise((resolve) => {
    startTransition(() => {
      const root = hydrateRoot(document, createAppTree(tree, platform), rootOptions)
      resolve(root)
      // Behind a proxy that hides the public host the server said another one: hydrate that, then correct it.
      if (platform.host !== seenHost) {
        startTransition(() => root.render(createAppTree(tree, { ...platform, host: seenHost })))
      }
    })
  })
}

async function loadTree(boot: Boot, values: readonly unknown[]): Promise<Tree> {
  const [layouts, errorPages, leaf] = await Promise.all([
    Promise.all(boot.layouts.map(({ file }) => loadComponent<LayoutComponent>(file))),
    Promise.all(boot.errors.map((file) => loadComponent<ErrorComponent>(file))),
    loadLeaf(boot.leaf, values.at(-1)),
  ])
  return {
    layouts: boot.layouts.map(({ css }, index) => ({
      Component: layouts[index] ?? DefaultLayout,
      data: values[index],
      css: stylesheets(css),
      ErrorPage: errorPages[index] ?? null,
    })),
    leaf,
    params: boot.params,
    address: { url: new URL(boot.url) },
  }
}

async function loadLeaf(leaf: BootLeaf, data: unknown): Promise<TreeLeaf> {
  const css = stylesheets(leaf.css)
  switch (leaf.kind) {
    case 'shown':
      return { kind: 'shown', css, shown: leaf.shown, ErrorPage: await loadComponent<ErrorComponent>(leaf.file) }
    case 'notFound':
      return { kind: 'notFound', css, Component: await loadRequired<NotFoundComponent>(leaf.file) }
    case 'page':
      return { kind: 'page', css, data, Component: await loadRequired<PageComponent>(leaf.file) }
  }
}

async function loadRequired<Component>(file: string | null): Promise<Component> {
  const component = await loadComponent<Component>(file)
  if (!component) throw new Error('The document names no module for its page.')
  return component
}

async function loadComponent<Component>(file: string | null): Promise<Component | null> {
  if (file === null) return null
  // The build has checked that each of the site's modules has a component as its default export.
  const module = (await import(new URL(file, assets).href)) as { default: Component }
  return module.default
}

function stylesheets(files: readonly string[] = []): string[] {
  return files.map((file) => assets.pathname + file)
}

const rootOptions: RootOptions = {
  onCaughtError(error, { componentStack }) {
    console.error(error, componentStack)
  },
  onUncaughtError(error, { componentStack }) {
    console.error(error, componentStack)
  },
  onRecoverableError(error, { componentStack }) {
    // With a digest it is the server's failure, which its log tells; the visitor sees the page as it should be.
    const isTold = error instanceof Error && 'digest' in error && typeof error.digest === 'string'
    if (!isTold) console.error(error, componentStack)
  },
}
