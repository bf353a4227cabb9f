// URLs that the console links to and that are not pages.

export {}

declare module 'hydrant/react' {
  interface Routes {
    '/api/events': unknown
    '/metrics': unknown
  }
}
