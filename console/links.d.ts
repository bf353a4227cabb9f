// What no page answers and links lead to.

export {}

declare module 'hydrant/react' {
  interface Routes {
    '/api/events': unknown
    '/favicon.svg': unknown
    '/metrics': unknown
  }
}
