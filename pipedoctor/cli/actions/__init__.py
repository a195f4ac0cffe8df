"""What commands do with a request: collect, judge, measure, write."""
