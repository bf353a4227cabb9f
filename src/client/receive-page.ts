import { base } from '../shared/base.ts'
import { ASSETS_PATH } from '../shared/paths.ts'
import type { Tree } from '../shared/tree/app-tree.tsx'
import type { BootLeaf, BootPlan } from '../shared/wire/boot.ts'
import type { Flat } from '../shared/wire/deferred-data.ts'
import type { NavigationStart } from '../shared/wire/navigation-protocol.ts'
import type { PublicError } from '../shared/wire/public-error.ts'
import { loadTree } from './load-tree.ts'

/** A page whose lines have arrived, except for the settlements of promises. */
export interface ReceivedPage {
  kind: BootLeaf['kind']
  /** Rejects when a module cannot be loaded. */
  tree: Promise<Tree>
  /** How many layouts stay, with their data. */
  kept: number
}

/**
 * Creates the functions that take the lines of a page. The one that takes the last necessary line returns the page.
 *
 * @param currentData The data of the current page. Layouts that stay mounted keep theirs.
 */
export function createPageReceiver(currentData: readonly unknown[], revive: (flat: Flat) => Promise<unknown>) {
  let start: NavigationStart | undefined
  let data: unknown[] = []
  /** How many loads have not sent their data. */
  let missing = 0

  function load(plan: Pick<BootPlan, 'layouts' | 'leaf'>, document: NavigationStart): ReceivedPage {
    // The modules are being loaded since the first line.
    return { kind: plan.leaf.kind, tree: loadTree(plan, document, Promise.all(data)), kept: document.kept }
  }

  return {
    start(line: NavigationStart) {
      start = line
      data = currentData.slice(0, line.kept)
      missing = line.layouts.length + 1 - line.kept
      line.preload.forEach(preload)
      // `load` imports the same modules, and its caller handles their errors.
      void loadTree(line, line, Promise.all([])).catch(() => {})
    },
    data(index: number, flat: Flat): ReceivedPage | undefined {
      data[index] = revive(flat)
      // The extras have a higher index, and come before the data of the loads.
      if (start && index <= start.layouts.length && --missing === 0) return load(start, start)
      return undefined
    },
    /** Takes an error in the place of the page. Returns undefined when no page has begun. */
    shown(level: number, leaf: BootLeaf, shown: PublicError): ReceivedPage | undefined {
      if (!start) return undefined
      // The layouts around the error keep their data. The page's data and its extras are not used.
      data.splice(level)
      return load({ layouts: start.layouts.slice(0, level), leaf }, { ...start, shown })
    },
  }
}

const preloaded = new Set<string>()

// Preloads scripts only. React would take a preloaded stylesheet for a loaded one, and could show the page a frame
// before the stylesheet applies. React loads the stylesheets itself when it renders the page.
function preload(file: string) {
  if (preloaded.has(file) || !/^[\w.-]+js$/.test(file)) return
  preloaded.add(file)
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  // A policy without 'strict-dynamic' requires it.
  link.nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? ''
  link.href = base + ASSETS_PATH + file
  document.head.append(link)
}
