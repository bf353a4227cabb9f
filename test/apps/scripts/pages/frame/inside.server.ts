export const action = () => 'acted'
