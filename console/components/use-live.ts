import { href } from 'hydrant/react'
import { useEffect, useState } from 'react'

/**
 * Keeps a page's data up to date. When the ledger changes, fetches the page's data as JSON and replaces the data that
 * came with the page. Focus and scroll do not move. `isLost` is true while the event stream is disconnected; the
 * browser reconnects.
 */
export function useLive<Data>(data: Data): { data: Data; isLost: boolean } {
  const [fresh, setFresh] = useState<{ replaces: Data; data: Data } | null>(null)
  const [isLost, setLost] = useState(false)

  useEffect(() => {
    const events = new EventSource(href('/api/events'))
    const leaving = new AbortController()
    let wasLost = false

    async function refresh() {
      const headers = { accept: 'application/json' }
      const response = await fetch(location.href, { headers, cache: 'no-store', signal: leaving.signal })
      // The cast is safe because the page's load returns plain JSON.
      if (response.ok) setFresh({ replaces: data, data: (await response.json()) as Data })
    }
    // If a fetch fails, the next change or the next connection fetches again.
    const tryRefresh = () => void refresh().catch(() => {})

    events.addEventListener('changed', tryRefresh)
    events.addEventListener('error', () => {
      wasLost = true
      setLost(true)
    })
    events.addEventListener('open', () => {
      setLost(false)
      if (wasLost) tryRefresh()
      wasLost = false
    })
    return () => {
      leaving.abort()
      events.close()
    }
  }, [data])

  return { data: fresh?.replaces === data ? fresh.data : data, isLost }
}
