import { href } from 'hydrant/react'
import { useEffect, useState } from 'react'

/**
 * Keeps what a page shows up to date: when the ledger has changed, the page's data is fetched as JSON and takes the place of
 * what came with the page. Neither focus nor scroll moves. `isLost`: nobody tells of changes now; it is tried again.
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
      // What the page's load returns is plain JSON.
      if (response.ok) setFresh({ replaces: data, data: (await response.json()) as Data })
    }
    // What cannot be fetched now is fetched with the next change, or when the connection is back.
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
