export interface UploadInit {
  method: string
  body: FormData | URLSearchParams
  headers: Record<string, string>
  signal: AbortSignal | null
}

/**
 * Sends a request as `fetch` does, and calls `onProgress` with the share of the body that has been sent, from 0 to 1.
 * Resolves when the response is complete. Uses XMLHttpRequest, because no browser reports the progress of `fetch`.
 */
export function sendWithProgress(
  url: URL,
  { method, body, headers, signal }: UploadInit,
  onProgress: (share: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    request.open(method, url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.responseType = 'arraybuffer'
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    // A response may begin before the body has been sent, for example with 413.
    request.upload.onload = () => onProgress(1)
    request.onload = () => resolve(responseOf(request, url))
    request.onerror = () => reject(new TypeError('The upload failed.'))
    request.onabort = () => reject(new DOMException('The upload was aborted.', 'AbortError'))
    request.onloadend = () => signal?.removeEventListener('abort', abort)
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) return reject(signal.reason)
    onProgress(0)
    request.send(body)
  })
}

function responseOf(request: XMLHttpRequest, { href }: URL): Response {
  const lines = request.getAllResponseHeaders().trim().split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  const { response, responseURL, status } = request
  const hasBody = status !== 204 && status !== 304
  const result = new Response(hasBody ? (response as ArrayBuffer) : null, { status, headers })
  // A `Response` that a script creates has no URL.
  Object.defineProperties(result, {
    url: { value: responseURL },
    redirected: { value: responseURL !== href.replace(/#.*/, '') },
  })
  return result
}
