// What tells a visitor that something is going on.

import type { NavigationStore } from '../shared/tree/navigation-state.ts'

const SHOW_AFTER_MS = 150

/** A thin bar at the top, in `--hydrant-progress` or the accent colour, when a page lets one wait. */
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

/** Says the name of the page that stands now, as a screen reader does when a document has loaded. */
export function createAnnouncer() {
  const region = document.createElement('div')
  region.ariaLive = 'assertive'
  region.className = 'hydrant-announcer'
  region.style.cssText = 'position:fixed;clip-path:inset(50%)'
  // Before there is something to say: what a region holds when it appears is not read out.
  document.body.append(region)
  return (title: string) => {
    if (!region.isConnected) document.body.append(region)
    region.textContent = title
  }
}
