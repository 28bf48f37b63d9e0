use strict;
use warnings;
use Digest::SHA 'hmac_sha256_hex';

my @secrets = split /,/, $ENV{WEBHOOK_SECRET} // '';    # during a rotation: old,new
unless (@secrets) {
    print STDERR "WEBHOOK_SECRET is missing: set it to the webhook's secret, whsec_ included\n";
    exit 1;
}
$| = 1;

# takes as long for every signature of the right length
sub is_same {
    my ($one, $other) = @_;
    return 0 if length $one != length $other;
    my $difference = 0;
    $difference |= ord(substr $one, $_, 1) ^ ord(substr $other, $_, 1) for 0 .. length($one) - 1;
    return $difference == 0;
}

sub {
    my ($env) = @_;
    my $raw_body = '';    # the bytes as they came; parse the JSON later
    1 while $env->{'psgi.input'}->read($raw_body, 65536, length $raw_body);
    my $signature = $env->{HTTP_X_ROLLCALL_SIGNATURE} // '';
    return [401, [], []] unless grep { is_same($signature, 'sha256=' . hmac_sha256_hex($raw_body, $_)) } @secrets;

    print "$raw_body\n";    # hand it to a job, and answer
    return [204, [], []];
};
