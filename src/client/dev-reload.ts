// In development only: loads the page again after each build.

const events = new EventSource(new URL('../dev', import.meta.url))
events.addEventListener('reload', () => location.reload())
