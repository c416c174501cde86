/** Slack reads `<…>` as mentions and links: https://docs.slack.dev/messaging/formatting-message-text#escaping */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
