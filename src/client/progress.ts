// Shows a visitor that a navigation is pending, and announces the new page.

import type { NavigationStore } from '../shared/tree/navigation-state.ts'

const SHOW_AFTER_MS = 150

/**
 * Shows a thin bar at the top while a slow page is pending, in the colour `--hydrant-progress` or the accent colour.
 */
export function createProgress(navigation: NavigationStore) {
  const bar = document.createElement('div')
  bar.className = 'hydrant-progress'
  bar.ariaHidden = 'true'
  bar.style.cssText =
    'position:fixed;inset:0 0 auto;height:3px;z-index:2147483647;pointer-events:none;transform-origin:0;background:var(--hydrant-progress,Highlight)'
  let timer: number | undefined
  navigation.subscribe(() => {
    clearTimeout(timer)
    if (navigation.get().state === 'idle') return bar.remove()
    if (!bar.isConnected) timer = setTimeout(start, SHOW_AFTER_MS)
  })

  function start() {
    document.documentElement.append(bar)
    bar.animate(
      { transform: ['scaleX(0)', 'scaleX(.7)', 'scaleX(.95)'] },
      { duration: 1e4, easing: 'ease-out', fill: 'forwards' },
    )
  }
}

/** Returns the function that makes a screen reader read a page's title, as it does when a document has loaded. */
export function createAnnouncer() {
  const region = document.createElement('div')
  region.ariaLive = 'assertive'
  region.className = 'hydrant-announcer'
  region.style.cssText = 'position:fixed;clip-path:inset(50%)'
  // The region is added empty: screen readers do not read the text with which a region appears.
  document.body.append(region)
  return (title: string) => {
    if (!region.isConnected) document.body.append(region)
    region.textContent = title
  }
}
