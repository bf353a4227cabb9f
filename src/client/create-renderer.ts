import { startTransition } from 'react'
import { hydrateRoot, type Root } from 'react-dom/client'
import type { Platform } from '../shared/tree/platform.ts'
import { appElement } from './app-element.tsx'
import type { App } from './app-state.ts'
import type { LogError } from './report.ts'

/**
 * Returns the function that renders the app's current tree. The first call hydrates the document. It resolves when
 * React has committed the tree.
 */
export function createRenderer(
  app: App,
  platform: Platform,
  report: LogError,
  logError: LogError,
): () => Promise<void> {
  let root: Root | undefined
  return () =>
    new Promise((resolve) => {
      startTransition(() => {
        const element = appElement(app.tree, platform, resolve)
        if (root) root.render(element)
        else
          root = hydrateRoot(document, element, {
            onCaughtError: logError,
            onUncaughtError: logError,
            onRecoverableError(error, info) {
              // An error with a digest failed on the server, which has logged it. The visitor sees the intact page.
              const log = (error as { digest?: unknown } | null)?.digest ? report : logError
              log(error, { ...info, isRecovered: true })
            },
          })
      })
    })
}
