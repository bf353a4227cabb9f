// What no page answers and links lead to: files of public/, routes of server.ts, and an address that is not there.

export {}

declare module 'hydrant/react' {
  interface Routes {
    '/favicon.svg': unknown
    '/failures/f6/fail': unknown
    '/failures/f6/refuse': unknown
    '/no-such-page': unknown
  }
}
