/// <reference lib="dom" />

// These functions run in the page, so they use nothing outside themselves.

/** The beginning of the console line with the result of a page. */
export const RESULT = 'benchmark '

interface Watch {
  result: string
}

/** Measures the first click: until the document has `rows` table rows, and until the browser has painted them. */
export function watchClick({ result, rows }: Watch & { rows: number }) {
  addEventListener('click', ({ timeStamp }) => begin(timeStamp), { capture: true, once: true })

  function begin(clicked: number) {
    const observer = new MutationObserver(() => {
      if (document.querySelectorAll('tr').length < rows) return
      observer.disconnect()
      requestAnimationFrame(() => {
        // A message that is posted in a frame arrives after the frame is painted.
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => {
          console.debug(result + JSON.stringify({ paintedMs: performance.now() - clicked }))
        }
        port2.postMessage(null)
      })
    })
    observer.observe(document, { subtree: true, childList: true })
  }
}

/** Measures when a click on the counter takes effect and React has the last tile. Clicks until that is so. */
export function watchHydration({ result, pauseMs }: Watch & { pauseMs: number }) {
  if (location.protocol.startsWith('http')) look()

  function look() {
    const counter = document.querySelector<HTMLElement>('#counter')
    counter?.click()
    // React updates the page in a microtask after the click.
    queueMicrotask(() => {
      if (counter && counter.textContent !== 'count: 0' && hasLastTile()) {
        console.debug(result + JSON.stringify({ interactiveMs: performance.now() }))
      } else setTimeout(look, pauseMs)
    })
  }

  function hasLastTile(): boolean {
    const tile = [...document.querySelectorAll('.tile')].at(-1)
    return Object.keys(tile ?? {}).some((key) => key.startsWith('__reactFiber$'))
  }
}
