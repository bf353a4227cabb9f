export const title = () => 'title'
