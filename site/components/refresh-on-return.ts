import { refresh } from 'hydrant/react'
import { useEffect } from 'react'

/** Runs the loads of the page again when the visitor comes back to its tab. */
export function useRefreshOnReturn() {
  useEffect(() => {
    function onChange() {
      // Without a network the page stays as it is.
      if (document.visibilityState === 'visible') refresh().catch(() => {})
    }
    document.addEventListener('visibilitychange', onChange)
    return () => document.removeEventListener('visibilitychange', onChange)
  }, [])
}
