/** Returns the element with the script of `failPendingScript`. */
export function failPendingElement(digest: string, nonce: string): string {
  return `<script nonce="${nonce}">${failPendingScript(digest)}</script>`
}

/**
 * Returns a script that fails every Suspense boundary that is pending in the document. It takes the same steps as
 * `$RX`, React's own script for one boundary.
 */
function failPendingScript(digest: string): string {
  return (
    'for(const t of document.querySelectorAll(\'template[id^="B:"]\')){const c=t.previousSibling;' +
    `if(c&&c.data==="$?"){c.data="$!";t.dataset.dgst="${digest}";c._reactRetry&&c._reactRetry()}}`
  )
}
