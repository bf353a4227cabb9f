/** Requests that the fuzzer has found something with, as bytes. They are sent in each run of the tests. */
export const FOUND: readonly string[] = [
  // What is no code must not become one when another is read: `%6%31` would have been `%61`.
  ...['/%6%31ct', '/given/%2%65%2%65/', '/%6%31ct?_hydrant'].map(
    (path) => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  ),
  // A browser leaves the tab out, and would go to another host.
  'GET /\t/evil.example/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  // What nobody answers has a body as well.
  'OPTIONS /act HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: x\r\nContent-Length: 1\r\n\r\nx',
  'OPTIONS /act HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{',
  'GET ht%74p://evil.example/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
]
