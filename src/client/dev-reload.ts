// Reloads the page after each build. In development only.

const events = new EventSource(new URL('../dev', import.meta.url))
events.addEventListener('reload', () => location.reload())
