/** Requests with which the fuzzer has found problems, as bytes. Each test run sends them. */
export const FOUND: readonly string[] = [
  // Text that is not an escape must not become one when another escape is decoded: `%6%31` would become `%61`.
  ...['/%6%31ct', '/given/%2%65%2%65/', '/%6%31ct?_hydrant'].map(
    (path) => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  ),
  // A browser ignores the tab, and would navigate to another host.
  'GET /\t/evil.example/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  // A method without a route can have a body too.
  'OPTIONS /act HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: x\r\nContent-Length: 1\r\n\r\nx',
  'OPTIONS /act HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{',
  'GET ht%74p://evil.example/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
]
