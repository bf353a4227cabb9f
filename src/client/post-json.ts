/** Sends JSON by POST, also while the page is left. A message that does not arrive is lost. */
export function postJson(url: string, json: string) {
  // For JSON, browsers send the `Origin` header whatever the page's referrer policy is.
  const body = new Blob([json], { type: 'application/json' })
  if (isBeaconTaken(url, body)) return
  fetch(url, { method: 'POST', body, keepalive: true }).catch(() => {})
}

// Some browsers do not have `sendBeacon`, and an ad blocker may make it throw.
function isBeaconTaken(url: string, body: Blob): boolean {
  try {
    return navigator.sendBeacon(url, body)
  } catch {
    return false
  }
}
